cli-unlock-page-nobody = nobody unlocked it on the page within ten minutes: start Aura again
