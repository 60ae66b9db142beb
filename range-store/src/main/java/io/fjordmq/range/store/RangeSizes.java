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
import org.jspecify.annotations.Nullable;

/**
 * How many bytes the ranges of this node hold and where to cut them (decision 0049). Thread-safe.
 */
public final class RangeSizes {
  /** Share of the bytes that each part must get; less is not worth a range. */
  private static final double LEAST_PART = 1.0 / 8;

  private final Kv kv;
  private final Map<String, StoreSpec> specs;
  private final Executor readers;

  /**
   * @param readers where rows may be read, since that may block
   */
  RangeSizes(Kv kv, Map<String, StoreSpec> specs, Executor readers) {
    this.kv = kv;
    this.specs = specs;
    this.readers = readers;
  }

  /**
   * Measures a range that has a replica here; looks for the halving key only if it is too large.
   * May block on the storage.
   *
   * @param maxBytes above which it is too large; 0 for no limit
   * @throws io.fjordmq.range.kv.KvException if the storage fails or is closed
   */
  public RangeSize measure(RangeDescriptor range, long maxBytes) {
    long bytes = SizeCut.bytes(space(range), range.interval());
    SizeCut.Cut cut = maxBytes > 0 && bytes > maxBytes ? cut(range) : null;
    return new RangeSize(bytes, cut != null && cut.lighterShare() >= LEAST_PART ? cut.key() : null);
  }

  /**
   * Where a range is halved, however unevenly: null if no cut leaves rows on both sides. Fails with
   * {@link io.fjordmq.range.kv.KvException}, or if too many queries are waiting.
   */
  public CompletableFuture<byte @Nullable []> halvingKey(RangeDescriptor range) {
    try {
      return CompletableFuture.<byte @Nullable []>supplyAsync(
          () -> {
            SizeCut.Cut cut = cut(range);
            return cut == null ? null : cut.key();
          },
          readers);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many queries wait on this node", e));
    }
  }

  private SizeCut.@Nullable Cut cut(RangeDescriptor range) {
    return new SizeCut(space(range), range.interval(), spec(range).cuts()).find();
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
