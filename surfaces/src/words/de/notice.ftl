notice-label = Hinweis
