package io.fjordmq.range.kv;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Kv} in memory that guarantees exactly what the real one does: a crash loses what was not
 * flushed, except for a prefix of each space's writes. Thread-safe.
 */
public final class SimKv implements Kv {
  private final Disk disk;
  private final Executor flusher;
  private final Map<String, Space> openSpaces = new TreeMap<>();
  private boolean closed;

  /** Guarded by the disk. */
  private @Nullable CompletableFuture<Void> waitingFlush;

  /**
   * The data that survives when the process of a {@link SimKv} dies; the next storage is opened on
   * it.
   *
   * <p>Its fields are guarded by this object.
   */
  public static final class Disk {
    private final Map<String, Content> spaces = new TreeMap<>();
    private @Nullable KvException failing;

    /** Makes writes and flushes fail with this exception; null makes them succeed again. */
    public synchronized void failWith(@Nullable KvException failure) {
      failing = failure;
    }

    /**
     * Simulates a crash of the process.
     *
     * @param survivors given the number of writes to a space that are not flushed, returns how many
     *     of them, the oldest first, reached the disk anyway
     */
    public synchronized void crash(IntUnaryOperator survivors) {
      spaces.values().forEach(space -> space.crash(survivors.applyAsInt(space.unflushed.size())));
    }

    private void checkWritable() {
      if (failing != null) {
        throw failing;
      }
    }
  }

  /** The contents of one space. The maps are never changed once other code may read them. */
  private static final class Content {
    private NavigableMap<byte[], byte[]> current = new TreeMap<>(Arrays::compareUnsigned);
    private NavigableMap<byte[], byte[]> durable = new TreeMap<>(Arrays::compareUnsigned);
    private boolean shared;
    private final List<List<Change>> unflushed = new ArrayList<>();

    void write(List<Change> changes) {
      if (shared) {
        current = new TreeMap<>(current);
        shared = false;
      }
      changes.forEach(change -> change.applyTo(current));
      unflushed.add(changes);
    }

    NavigableMap<byte[], byte[]> view() {
      shared = true;
      return current;
    }

    void flush(int writes) {
      List<List<Change>> first = unflushed.subList(0, writes);
      first.forEach(changes -> changes.forEach(change -> change.applyTo(durable)));
      first.clear();
    }

    void crash(int survivingWrites) {
      flush(survivingWrites);
      unflushed.clear();
      current = new TreeMap<>(durable);
      shared = false;
    }
  }

  private interface Change {
    void applyTo(NavigableMap<byte[], byte[]> map);
  }

  /**
   * @param flusher runs flushes, immediately or as late as a simulation chooses
   */
  public SimKv(Disk disk, Executor flusher) {
    this.disk = disk;
    this.flusher = flusher;
  }

  @Override
  public KvSpace space(String name) {
    synchronized (disk) {
      Content content = disk.spaces.computeIfAbsent(name, created -> new Content());
      return openSpaces.computeIfAbsent(name, first -> new Space(name, content));
    }
  }

  @Override
  public CompletableFuture<Void> flush() {
    CompletableFuture<Void> result;
    synchronized (disk) {
      result = waitingFlush == null ? new CompletableFuture<>() : waitingFlush;
      waitingFlush = result;
    }
    flusher.execute(this::flushNow);
    return result;
  }

  private void flushNow() {
    CompletableFuture<Void> mine;
    KvException failure;
    synchronized (disk) {
      mine = waitingFlush;
      waitingFlush = null;
      failure = closed ? new KvException(KvException.Kind.CLOSED, "closed") : disk.failing;
      if (failure == null) {
        disk.spaces.values().forEach(space -> space.flush(space.unflushed.size()));
      }
    }
    if (mine == null) {
      return;
    }
    if (failure == null) {
      mine.complete(null);
    } else {
      mine.completeExceptionally(failure);
    }
  }

  @Override
  public void retryWrites() {
    // failure() consults the disk.
  }

  @Override
  public @Nullable KvException failure() {
    synchronized (disk) {
      return disk.failing;
    }
  }

  @Override
  public KvMetrics metrics() {
    return new KvMetrics(0, 0, 0, 0, 0, false, 0);
  }

  /** Kills the process: this object can no longer be used. The contents of the disk remain. */
  public void kill() {
    synchronized (disk) {
      closed = true;
    }
  }

  @Override
  public void close() {
    synchronized (disk) {
      if (!closed && disk.failing == null) {
        disk.spaces.values().forEach(space -> space.flush(space.unflushed.size()));
      }
      closed = true;
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new KvException(KvException.Kind.CLOSED, "state storage is closed");
    }
  }

  private final class Space implements KvSpace {
    private final String name;
    private final Content content;

    Space(String name, Content content) {
      this.name = name;
      this.content = content;
    }

    @Override
    public String name() {
      return name;
    }

    private NavigableMap<byte[], byte[]> view() {
      synchronized (disk) {
        checkOpen();
        return content.view();
      }
    }

    @Override
    public KvReader latest() {
      return new View() {
        @Override
        NavigableMap<byte[], byte[]> map() {
          return view();
        }

        /** Does not create a view, because the next write would then have to copy everything. */
        @Override
        public byte @Nullable [] get(byte[] key) {
          synchronized (disk) {
            checkOpen();
            return copy(content.current.get(key));
          }
        }
      };
    }

    @Override
    public KvSnapshot snapshot() {
      NavigableMap<byte[], byte[]> frozen = view();
      return new View() {
        @Override
        NavigableMap<byte[], byte[]> map() {
          return frozen;
        }
      };
    }

    @Override
    public long approximateBytes(byte[] from, byte[] to) {
      synchronized (disk) {
        checkOpen();
        return content.current.subMap(from, true, to, false).entrySet().stream()
            .mapToLong(row -> (long) row.getKey().length + row.getValue().length)
            .sum();
      }
    }

    @Override
    public void write(KvBatch batch) {
      List<Change> changes = new ArrayList<>(batch.size());
      batch.replay(
          0,
          new KvBatch.Sink() {
            @Override
            public void put(byte[] key, byte[] value) {
              byte[] keyCopy = key.clone();
              byte[] valueCopy = value.clone();
              changes.add(map -> map.put(keyCopy, valueCopy));
            }

            @Override
            public void delete(byte[] key) {
              byte[] keyCopy = key.clone();
              changes.add(map -> map.remove(keyCopy));
            }

            @Override
            public void deleteRange(byte[] from, byte[] to) {
              byte[] fromCopy = from.clone();
              byte[] toCopy = to.clone();
              changes.add(map -> map.subMap(fromCopy, true, toCopy, false).clear());
            }
          });
      synchronized (disk) {
        checkOpen();
        disk.checkWritable();
        content.write(changes);
      }
    }
  }

  private abstract static class View implements KvSnapshot {
    abstract NavigableMap<byte[], byte[]> map();

    @Override
    public byte @Nullable [] get(byte[] key) {
      return copy(map().get(key));
    }

    static byte @Nullable [] copy(byte @Nullable [] value) {
      return value == null ? null : value.clone();
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      visit(between(from, to), visitor);
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      visit(between(from, to).descendingMap(), visitor);
    }

    private NavigableMap<byte[], byte[]> between(byte[] from, byte @Nullable [] to) {
      NavigableMap<byte[], byte[]> map = map();
      if (to == null) {
        return map.tailMap(from, true);
      }
      return Arrays.compareUnsigned(from, to) < 0
          ? map.subMap(from, true, to, false)
          : new TreeMap<>(Arrays::compareUnsigned);
    }

    private static void visit(NavigableMap<byte[], byte[]> entries, Visitor visitor) {
      for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
        if (!visitor.visit(entry.getKey().clone(), entry.getValue().clone())) {
          return;
        }
      }
    }

    @Override
    public void close() {}
  }
}
