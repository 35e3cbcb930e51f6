const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

const main = () => server.connect(new StdioServerTransport());

main();
