explanation-largest-cost-its-surface = Ort der Anzeige
explanation-largest-cost-having-to-ask = nötige Rückfrage
explanation-largest-cost-being-shown-lately = kürzlich gezeigt
explanation-largest-cost-do-not-disturb = „Nicht stören“
