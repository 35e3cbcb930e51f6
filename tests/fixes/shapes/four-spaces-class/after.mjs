import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);

class App {
    constructor() {
        this.server = new McpServer({ name: "shape", version: "1.0.0" });
    }

    async run() {
        const transport = new StdioServerTransport();
        let stopping = false;
        const shutdown = async () => {
            if (stopping) return;
            stopping = true;
            setTimeout(() => process.exit(1), 5000).unref();
            try {
                await this.server.close();
            } finally {
                process.exit(0);
            }
        };
        process.stdin.once("end", shutdown);
        process.stdin.once("close", shutdown);
        process.stdin.once("error", shutdown);
        if (process.stdin.readableEnded || process.stdin.destroyed) shutdown();
        process.once("SIGTERM", shutdown);
        process.once("SIGINT", shutdown);

        await this.server.connect(transport);
    }
}

await new App().run();
