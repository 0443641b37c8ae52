cli-runs-nobody = nobody executes the run, and the folder is in use: try again
