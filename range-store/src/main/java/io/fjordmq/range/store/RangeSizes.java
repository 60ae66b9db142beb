package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.load.RangeSize;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Measures the sizes of this node's ranges and finds the keys to split them at (decision 0049).
 * Thread-safe.
 */
public final class RangeSizes {
  /** Minimum share of the bytes in each part; a smaller part is not worth a range. */
  private static final double MIN_PART = 1.0 / 8;

  private final Kv kv;
  private final Map<String, StoreSpec> specs;
  private final Executor readers;

  /**
   * @param readers runs the reads of rows, which may block
   */
  RangeSizes(Kv kv, Map<String, StoreSpec> specs, Executor readers) {
    this.kv = kv;
    this.specs = specs;
    this.readers = readers;
  }

  /**
   * Estimates the size of a range that has a replica on this node. May block on the storage.
   *
   * @throws io.fjordmq.range.kv.KvException if the storage fails or is closed
   */
  public long bytes(RangeDescriptor range) {
    return SizeMedianFinder.bytes(space(range), range.interval());
  }

  /**
   * Searches for the halving key of a range that has a replica on this node; only a key that makes
   * both parts large enough counts. Blocks on the storage, for a few tenths of a second at most if
   * the storage is healthy.
   *
   * @param bytes size of the range
   * @throws io.fjordmq.range.kv.KvException if the storage fails or is closed
   */
  public RangeSize withHalvingKey(RangeDescriptor range, long bytes) {
    SizeMedianFinder.Result found = find(range, SizeMedianFinder.MAX_SKIPPED);
    SizeMedianFinder.Cut cut = found.cut();
    return cut != null && cut.lighterShare() >= MIN_PART
        ? new RangeSize(bytes, cut.key(), false)
        : new RangeSize(bytes, null, found.abandoned());
  }

  /**
   * Finds the halving key of a range, no matter how uneven the halves are. The result has no key if
   * no cut leaves rows on both sides, or if none was found in time. Fails with {@link
   * io.fjordmq.range.kv.KvException}, or if too many queries are waiting.
   */
  public CompletableFuture<RangeSize> halve(RangeDescriptor range) {
    try {
      return CompletableFuture.supplyAsync(
          () -> {
            SizeMedianFinder.Result found = find(range, SizeMedianFinder.MAX_SKIPPED_MANUAL);
            SizeMedianFinder.Cut cut = found.cut();
            return cut == null
                ? new RangeSize(bytes(range), null, found.abandoned())
                : new RangeSize(cut.total(), cut.key(), false);
          },
          readers);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many queries are waiting on this node", e));
    }
  }

  private SizeMedianFinder.Result find(RangeDescriptor range, long maxSkipped) {
    return new SizeMedianFinder(
            space(range), range.interval(), spec(range).splitKeyFloor(), maxSkipped)
        .find();
  }

  private KvSpace space(RangeDescriptor range) {
    return kv.space(range.id().store());
  }

  private StoreSpec spec(RangeDescriptor range) {
    StoreSpec spec = specs.get(range.id().store());
    if (spec == null) {
      throw new IllegalArgumentException("this node has no store '" + range.id().store() + "'");
    }
    return spec;
  }
}
