import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);

class App {
    constructor() {
        this.server = new McpServer({ name: "shape", version: "1.0.0" });
    }

    async run() {
        const transport = new StdioServerTransport();
        await this.server.connect(transport);
    }
}

await new App().run();
