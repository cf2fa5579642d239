// Serves the site in the folder that it is called with by Next.js, which compiles a route when it is first asked for.
import { createServer } from "node:http";
import next from "next";

const app = next({ dev: true, dir: process.argv[2], hostname: "127.0.0.1" });
await app.prepare();
createServer(app.getRequestHandler()).listen(Number(process.env.PORT), "127.0.0.1");
