notice-label = Notice
