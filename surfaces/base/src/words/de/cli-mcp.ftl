cli-mcp-no-token = es braucht das Token eines Geräts: `aura device add NAME --scope ask` zeigt eines; es gehört in --token-file FILE oder in die Variable { $variable }
