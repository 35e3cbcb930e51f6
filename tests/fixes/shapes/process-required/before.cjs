const proc = require("process");
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

async function main() {
  await server.connect(new StdioServerTransport());
}

main();
