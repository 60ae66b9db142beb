// Who did something, as the API names it.

// The user that runs a node calls its API without an account, with bin/fjordmq on the host of the node.
export const callerName = (name) => (name === 'local' ? 'bin/fjordmq on a node' : name);
