package io.fjordmq.range.store;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The descriptors of the replicas on this node's disk. The published descriptor takes the place of
 * one that is corrupt or has a newer format: its replica cannot be opened, but it counts as halted,
 * so that it is reported and can be replaced (decision 0042). Thread-safe; blocks.
 */
final class StoredDescriptors {
  private static final Logger LOG = LoggerFactory.getLogger(StoredDescriptors.class);

  /**
   * Lower than any other epoch: no node may mistake a substitute for the current descriptor of the
   * range.
   */
  private static final RangeEpoch UNKNOWN = new RangeEpoch(0, 0);

  private final Kv kv;
  private final Function<RangeId, Optional<RangeDescriptor>> published;
  private final Map<RangeId, RangeDescriptor> substitutes = new ConcurrentHashMap<>();

  /**
   * @param published the descriptor of a range in the metadata; empty if there is none
   */
  StoredDescriptors(Kv kv, Function<RangeId, Optional<RangeDescriptor>> published) {
    this.kv = kv;
    this.published = published;
  }

  /**
   * Returns the descriptors of a store's replicas. A replica is left out if its descriptor can
   * neither be read nor substituted; its rows are neither used nor removed.
   */
  List<RangeDescriptor> load(String store) {
    List<RangeDescriptor> found = new ArrayList<>();
    Map<RangeId, MalformedBytesException> unreadable = new LinkedHashMap<>();
    RangeKeys.visitDescriptors(
        kv.space(store).latest(),
        (number, row) -> {
          RangeId id = new RangeId(store, number);
          try {
            found.add(decode(id, row));
          } catch (MalformedBytesException e) {
            unreadable.put(id, e);
          }
        });
    List<RangeDescriptor> readable = List.copyOf(found);
    unreadable.forEach(
        (id, reason) -> {
          RangeDescriptor substitute = substitute(id, readable);
          if (substitute == null) {
            LOG.error(
                "Cannot read the descriptor of a replica, and no published descriptor can replace it; "
                    + "the replica stays closed: {} range={}",
                reason.getMessage(),
                id);
          } else {
            LOG.error(
                "Cannot read the descriptor of a replica; the replica is halted: {} range={}",
                reason.getMessage(),
                id);
            substitutes.put(id, substitute);
            found.add(substitute);
          }
        });
    return found;
  }

  /**
   * Returns the descriptor of a replica; null if there is no replica.
   *
   * @throws MalformedBytesException if it cannot be read and has no substitute
   */
  @Nullable RangeDescriptor find(RangeId id) {
    byte[] row = kv.space(id.store()).latest().get(new RangeKeys(id.number()).descriptor());
    if (row == null) {
      return null;
    }
    try {
      return decode(id, row);
    } catch (MalformedBytesException e) {
      RangeDescriptor substitute = substitutes.get(id);
      if (substitute == null) {
        throw e;
      }
      return substitute;
    }
  }

  private static RangeDescriptor decode(RangeId id, byte[] row) {
    RangeDescriptor range;
    try {
      range = RangeDescriptorCodec.decode(row);
    } catch (MalformedBytesException e) {
      throw e;
    } catch (RuntimeException e) { // corrupt bytes may be anything
      throw new MalformedBytesException("invalid descriptor of range " + id, e);
    }
    if (!range.id().equals(id)) {
      throw new MalformedBytesException(
          "the descriptor stored for range " + id + " is that of range " + range.id());
    }
    return range;
  }

  /**
   * Returns the published descriptor without the keys of other replicas on this node. A split or
   * merge may have reached only one of the two replicas, and everything that the substitute holds
   * is removed with its replica.
   */
  private @Nullable RangeDescriptor substitute(RangeId id, List<RangeDescriptor> others) {
    RangeDescriptor range = published.apply(id).orElse(null);
    if (range == null) {
      return null;
    }
    KeyInterval interval = range.interval();
    for (RangeDescriptor other : others) {
      interval = without(interval, other.interval());
      if (interval == null) {
        return null;
      }
    }
    return new RangeDescriptor(id, interval, UNKNOWN, range.replicas());
  }

  private static @Nullable KeyInterval without(KeyInterval keys, KeyInterval other) {
    if (!keys.overlaps(other)) {
      return keys;
    } else if (Arrays.compareUnsigned(keys.start(), other.start()) < 0) {
      return new KeyInterval(keys.start(), other.start());
    }
    byte[] rest = other.end();
    if (rest == null || (keys.end() != null && Arrays.compareUnsigned(rest, keys.end()) >= 0)) {
      return null;
    }
    return new KeyInterval(rest, keys.end());
  }
}
