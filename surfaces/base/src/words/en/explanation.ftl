explanation-largest-cost-its-surface = its surface
explanation-largest-cost-having-to-ask = having to ask
explanation-largest-cost-being-shown-lately = being shown lately
explanation-largest-cost-do-not-disturb = do not disturb
