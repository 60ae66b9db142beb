package io.fjordmq.range.placement;

import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranges of the cluster and their replicas, as this node knows them from the metadata: records
 * {@code range/<store>/<number>}, each a {@link RangeDescriptorCodec descriptor}. Clients can
 * follow it to learn of changes. Records {@code next-range/<store>} hold the number of the store's
 * next range: u8 format, 1; u64 number. It also knows the {@link RangePin pins} of ranges.
 *
 * <p>Register it with {@link io.fjordmq.cluster.metadata.MetadataGroup#watch}. Thread-safe;
 * followers are called in order, on the metadata thread.
 */
public final class RangeDirectory implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(RangeDirectory.class);
  private static final String PREFIX = "range/";
  private static final String NEXT_PREFIX = "next-range/";
  private static final int NEXT_FORMAT = 1;

  private final List<Follower> followers = new CopyOnWriteArrayList<>();
  private volatile Map<RangeId, Published> ranges = Map.of();
  private volatile Map<String, NextNumber> numbers = Map.of();
  private volatile Map<RangeId, RangePin.Stored> pins = Map.of();

  private record Follower(String store, Consumer<List<RangeDescriptor>> client) {}

  /**
   * A range as published in the metadata.
   *
   * @param version version of the record, required to change it
   */
  public record Published(RangeDescriptor descriptor, long version) {}

  /** Returns the ranges in a view of the metadata, which the directory does not follow. */
  public static RangeDirectory of(MetadataView view) {
    RangeDirectory directory = new RangeDirectory();
    directory.readNumbers(view);
    directory.readRanges(view);
    directory.readPins(view);
    return directory;
  }

  /** Returns the key of a range's record. */
  public static String key(RangeId range) {
    return PREFIX + range.store() + "/" + range.number();
  }

  /**
   * Returns the descriptor of a range in the metadata; empty if it is not published or not
   * readable.
   */
  public static Optional<RangeDescriptor> published(MetadataView view, RangeId range) {
    MetadataRecord record = view.get(key(range));
    try {
      return record == null
          ? Optional.empty()
          : Optional.of(RangeDescriptorCodec.decode(record.value()));
    } catch (MalformedBytesException e) {
      return Optional.empty(); // logged when the directory is read
    }
  }

  /** Returns the write that publishes the first ranges of a cluster, all or none of them. */
  public static List<Change> initialChanges(List<RangeDescriptor> ranges) {
    return ranges.stream()
        .map(
            range -> Change.put(key(range.id()), RangeDescriptorCodec.encode(range), Change.ABSENT))
        .toList();
  }

  /**
   * The number of a store's next range.
   *
   * @param version version of the record, {@link Change#ABSENT} if there is none yet
   */
  record NextNumber(String store, long number, long version) {
    /**
     * Returns the write that allocates the number, unless it has been allocated in the meantime.
     */
    Change allocationChange() {
      return putChange(number + 1);
    }

    /**
     * Returns whether the number is only derived from the existing ranges, so that {@link
     * #persistenceChange} must store it.
     */
    boolean isDerived() {
      return version == Change.ABSENT;
    }

    /**
     * Returns the write that stores the number, so that it no longer depends on the existing
     * ranges.
     */
    Change persistenceChange() {
      return putChange(number);
    }

    /** Returns the write that stores a later number. */
    Change advanceChange(long next) {
      return putChange(next);
    }

    private Change putChange(long next) {
      byte[] value = new ByteWriter(9).writeByte(NEXT_FORMAT).writeLong(next).toByteArray();
      return Change.put(NEXT_PREFIX + store, value, version);
    }
  }

  /**
   * Returns a number that no range of the store has ever had. If no number is stored yet, the store
   * still has all of its initial ranges and no others, so the number follows the highest of theirs.
   */
  NextNumber nextNumber(String store) {
    NextNumber known = numbers.get(store);
    long highest =
        ranges.keySet().stream()
            .filter(range -> range.store().equals(store))
            .mapToLong(RangeId::number)
            .max()
            .orElse(0);
    return known == null ? new NextNumber(store, highest + 1, Change.ABSENT) : known;
  }

  /** Returns all ranges. */
  public Map<RangeId, Published> ranges() {
    return ranges;
  }

  /**
   * Returns the pinned ranges. All of them are or were in {@link #ranges}, if that is called
   * afterwards.
   */
  public Map<RangeId, RangePin.Stored> pins() {
    return pins;
  }

  /** Returns the ranges of a store, in key order. */
  public List<RangeDescriptor> ranges(String store) {
    return ranges.values().stream()
        .map(Published::descriptor)
        .filter(range -> range.id().store().equals(store))
        .sorted((a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()))
        .toList();
  }

  /**
   * Returns the right neighbor of a range: its keys begin where the range's keys end. Null if there
   * is none.
   */
  @Nullable RangeId rightNeighbor(RangeId left) {
    Published known = ranges.get(left);
    byte[] end = known == null ? null : known.descriptor().interval().end();
    return end == null
        ? null
        : ranges(left.store()).stream()
            .filter(range -> Arrays.equals(range.interval().start(), end))
            .map(RangeDescriptor::id)
            .findFirst()
            .orElse(null);
  }

  /**
   * Calls the client whenever ranges of the store have changed; the first call, with all ranges, is
   * made before this method returns.
   *
   * @param client may be given descriptors that it already knows; must not block
   */
  public synchronized void follow(String store, Consumer<List<RangeDescriptor>> client) {
    followers.add(new Follower(store, client));
    client.accept(ranges(store));
  }

  @Override
  public synchronized void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    if (updates.stream().anyMatch(update -> update.key().startsWith(NEXT_PREFIX))) {
      readNumbers(view);
    }
    if (updates.stream().anyMatch(update -> update.key().startsWith(PREFIX))) {
      readRanges(view);
    }
    if (updates.stream().anyMatch(update -> update.key().startsWith(RangePin.PREFIX))) {
      readPins(view);
    }
  }

  private void readRanges(MetadataView view) {
    Map<RangeId, Published> next = new HashMap<>();
    for (MetadataRecord record : view.withPrefix(PREFIX)) {
      try {
        RangeDescriptor range = RangeDescriptorCodec.decode(record.value());
        next.put(range.id(), new Published(range, record.version()));
      } catch (MalformedBytesException e) {
        // Possibly written by a newer version; the other ranges remain usable.
        LOG.error(
            "Cannot decode a range record in the metadata; the range is unreachable from this "
                + "node: {} record={}",
            e.getMessage(),
            record.key());
      }
    }
    ranges = Map.copyOf(next);
    followers.forEach(this::notifyFollower);
  }

  private void readPins(MetadataView view) {
    Map<RangeId, RangePin.Stored> next = new HashMap<>();
    for (MetadataRecord record : view.withPrefix(RangePin.PREFIX)) {
      try {
        RangePin pin = RangePin.decode(record.value());
        next.put(RangePin.range(record.key()), new RangePin.Stored(pin, record.version()));
      } catch (MalformedBytesException e) {
        LOG.error(
            "Ignoring the pin of a range, which this node cannot read: {} record={}",
            e.getMessage(),
            record.key());
      }
    }
    pins = Map.copyOf(next);
  }

  private void readNumbers(MetadataView view) {
    Map<String, NextNumber> next = new HashMap<>();
    for (MetadataRecord record : view.withPrefix(NEXT_PREFIX)) {
      ByteReader in = new ByteReader(record.value());
      StoredFormat.require("number of the next range", NEXT_FORMAT, in);
      String store = record.key().substring(NEXT_PREFIX.length());
      next.put(store, new NextNumber(store, in.readLong(), record.version()));
    }
    numbers = Map.copyOf(next);
  }

  /**
   * Notifies a follower. Logs exceptions, because a bug in a client must not halt the metadata
   * group.
   */
  private void notifyFollower(Follower follower) {
    try {
      follower.client().accept(ranges(follower.store()));
    } catch (RuntimeException e) {
      LOG.error(
          "Range directory listener threw; please report this bug store={}", follower.store(), e);
    }
  }
}
