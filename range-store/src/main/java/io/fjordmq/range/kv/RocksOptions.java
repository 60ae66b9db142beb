package io.fjordmq.range.kv;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileManager;

/** The options of RocksDB, with the reasons for them. Owns the native objects. */
final class RocksOptions implements AutoCloseable {
  private static final long MIN_SHARD_BYTES = 8 << 20;
  private static final int MAX_SHARD_BITS = 6;
  private static final int METADATA_BLOCK_BYTES = 4 << 10;

  private final Cache blockCache;
  private final BloomFilter bloom = new BloomFilter(10);
  private final SstFileManager fileManager;
  private final DBOptions db;
  private final ColumnFamilyOptions family;

  RocksOptions(RocksKvSettings configured, RocksFailures failures) {
    RocksKvSettings settings = configured.sizedFor(RocksKvSettings.DEFAULT_MEMORY);
    this.blockCache =
        new LRUCache(settings.blockCacheBytes(), shardBits(settings.blockCacheBytes()));
    this.fileManager = newFileManager(failures);
    this.db = newDbOptions(settings);
    this.family = newFamilyOptions(settings);
  }

  /**
   * Returns how often to halve the block cache. RocksDB does not keep a block that is larger than
   * its shard: each read would read the block again. Filters of files with a single filter block
   * have several megabytes.
   *
   * @return binary logarithm of the number of shards
   */
  static int shardBits(long cacheBytes) {
    long shards = Math.max(1, cacheBytes / MIN_SHARD_BYTES);
    return Math.min(MAX_SHARD_BITS, Long.SIZE - 1 - Long.numberOfLeadingZeros(shards));
  }

  DBOptions db() {
    return db;
  }

  ColumnFamilyOptions family() {
    return family;
  }

  long blockCacheUsage() {
    return blockCache.getUsage();
  }

  /**
   * Creates a file manager, with which RocksDB itself notices when a full disk has free space
   * again.
   */
  private SstFileManager newFileManager(RocksFailures failures) {
    try {
      return new SstFileManager(Env.getDefault());
    } catch (RocksDBException e) {
      throw failures.translate("cannot create the SST file manager", e);
    }
  }

  private DBOptions newDbOptions(RocksKvSettings settings) {
    return new DBOptions()
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setDbWriteBufferSize(settings.totalWriteBufferBytes())
        .setMaxOpenFiles(settings.maxOpenFiles())
        .setMaxFileOpeningThreads(1)
        .setMaxBackgroundJobs(settings.backgroundThreads())
        // Spread the write-back of table files over time, so that it does not delay the log's fsync
        // in one burst.
        .setBytesPerSync(1 << 20)
        .setStatsDumpPeriodSec(0)
        .setKeepLogFileNum(3)
        .setMaxLogFileSize(4 << 20)
        .setSstFileManager(fileManager);
  }

  private ColumnFamilyOptions newFamilyOptions(RocksKvSettings settings) {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(blockCache)
            .setCacheIndexAndFilterBlocks(true)
            .setPinL0FilterAndIndexBlocksInCache(true)
            // Small blocks of index and filter. A single one of a file with millions of keys has
            // megabytes, which every read of the file needs, and it displaces everything else.
            .setIndexType(IndexType.kTwoLevelIndexSearch)
            .setPartitionFilters(true)
            .setMetadataBlockSize(METADATA_BLOCK_BYTES)
            .setPinTopLevelIndexAndFilter(true)
            .setFilterPolicy(bloom)
            .setFormatVersion(5)
            .setBlockSize(16 << 10);
    return new ColumnFamilyOptions()
        .setTableFormatConfig(table)
        .setWriteBufferSize(settings.writeBufferBytes())
        .setMaxWriteBufferNumber(settings.maxWriteBuffers())
        // Merging memtables drops rows that were written and deleted, before they reach a file.
        .setMinWriteBufferNumberToMerge(2)
        .setLevel0FileNumCompactionTrigger(8)
        .setLevelCompactionDynamicLevelBytes(true)
        .setCompressionType(CompressionType.LZ4_COMPRESSION);
  }

  @Override
  public void close() {
    family.close();
    db.close();
    fileManager.close();
    bloom.close();
    blockCache.close();
  }
}
