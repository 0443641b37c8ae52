source-again-read = Read again
source-again-read-place = Read again: { $place }
source-again-with = From its beginning, with all else under “{ $reader }”. What you had forgotten comes back where your own files still have it.
