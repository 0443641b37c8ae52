cli-common-waiting-for-another = waiting for another process, which works on the data folder
cli-common-waiting-for-process = waiting for process { $pid }, which works on the data folder
