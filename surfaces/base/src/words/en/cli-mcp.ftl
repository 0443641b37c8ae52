cli-mcp-no-token = a device's token is needed: `aura device add NAME --scope ask` prints one; give it as --token-file FILE, or in the variable { $variable }
