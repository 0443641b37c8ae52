source-remedy-remedy-sources = See what I read.
source-remedy-remedy-file = Choose another file.
source-remedy-remedy-statement = Answer what the statement leaves open.
source-remedy-remedy-sender = Say whether this sender counts.
source-remedy-remedy-message = Show me what was paid.
source-remedy-remedy-again = Read everything once more.
source-remedy-remedy-phone = See how your phone sends it.
source-remedy-read-disk-full = I cannot keep what I read: this computer's disk is full. Make room on it, and I go on by myself; nothing is lost.
source-remedy-stop-counts = Of its kind I remember, from this source and others:
source-remedy-stop-read =
    { $items ->
        [0] I have read nothing of its kind since I started.
        [one] I have read one thing of its kind since I started.
       *[other] I have read { $items } things of its kind since I started.
    }
source-remedy-stop-show = Show what would be forgotten: { $kind }
