export { createPrisma, type PrismaOptions } from './client.ts'
export type { Prisma, PrismaClient } from './generated/client.ts'
export { type MigrateResult, MigrationError, migrate, TASK_SCHEMA } from './migrate.ts'
export { createSql, type Sql, type SqlOptions, type TransactionSql } from './sql.ts'
