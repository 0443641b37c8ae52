backups-backups = Backup
backups-backups-say = One sealed file with all that I keep. It opens with a passphrase of its own, on any computer. I make one when you ask for it, or again and again.
backups-backup-none = No backup was made here yet.
backups-backup-gone = That file is not there now: moved, or on a disk that is not connected.
backups-backup-untried = Not tried yet.
backups-backup-folder = Folder, from your home folder (~) or with its whole path
backups-backup-folder-means = Best on another disk than this computer's.
backups-backup-passphrase = Passphrase of the backup
backups-backup-repeated = The same once more
backups-backup-passphrase-means = At least twelve characters. I do not keep it. Without it nobody can open the file, not even I.
backups-backup-make = Make a backup
backups-backup-try = Try to bring it back
backups-backup-try-means = Into a place of its own that is removed again. Nothing of what I keep now changes.
backups-backup-not-same = The two passphrases are not the same.
backups-backup-not-here = A backup can be made and tried only in the browser that Aura itself has opened on this computer, within half an hour.
backups-backup-last = The last one is from { $when }, { $value } MB: { $place }
backups-backup-tried = Tried at { $when }: all of it came back.
backups-backup-stage-i-am-writing = I am writing the backup.
backups-backup-stage-i-am-bringing = I am bringing it back as a trial.
backups-backup-stage-the-backup-is = The backup is written. Try it below, to be sure that it can be brought back.
backups-backup-stage-it-can-be = It can be brought back: { $files ->
        [one] { $files } file came back, and its database is sound.
       *[other] { $files } files came back, and their database is sound.
    }
backups-backup-stage-there-is-no = There is no such folder, or it is my own: name another one that is there.
backups-backup-stage-that-is-not = That is not the passphrase of this backup.
backups-backup-stage-that-did-not = That did not work. What I keep is as it was.
backups-again = And again
backups-again-means = The next ones go to the same folder and open with the same passphrase. I keep the newest five of them. When the folder is not there, I try again each hour.
backups-end = Make no more of them
backups-once = not
backups-daily = every day
backups-weekly = every week
backups-monthly = every 30 days
backups-planned = One is made { $often } in { $place }. The next: { $next }.
backups-missed-folder = None could be made at { $when }: the folder was not there. Connect its disk, or make one somewhere else.
backups-missed-failed = None could be made at { $when }.
