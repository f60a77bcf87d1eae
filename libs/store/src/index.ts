export { openStore, type OpenOptions } from './store.ts';
export { makeFolder } from './make-folder.ts';
export { createRedisCounts, type RedisClient } from './redis/redis-counts.ts';
export { createRedisAnswers } from './redis/redis-answers.ts';
export { databaseFault } from './database-faults.ts';
export {
  backupBeside,
  backupDatabase,
  removeCopy,
  restoreDatabase,
  type BackupReport,
  type RestoreReport,
} from './backup.ts';
export { createRedisUse } from './redis/redis-use.ts';
export { createRedisHealth, type RedisSubscriber } from './redis/redis-health.ts';
