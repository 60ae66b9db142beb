package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sequences that are settled although an earlier one is not: acknowledged out of order, dropped or
 * expired. Stored as runs, because most of them are consecutive.
 */
final class SequenceRuns {
  /*
   * Runs are disjoint and never adjacent: adjacent runs are merged.
   *
   *   v  number of runs
   *   v  start - end of the previous run (0 for the first), v length, v bytes    for each
   */
  private record Run(long start, long end, long bytes) {}

  private final TreeMap<Long, Run> runs = new TreeMap<>();
  private long count;
  private long bytes;

  /** Returns the number of sequences. */
  long count() {
    return count;
  }

  /** Returns the total size of their entries in bytes. */
  long bytes() {
    return bytes;
  }

  boolean contains(long sequence) {
    return endOf(sequence) != sequence;
  }

  /** Returns the first sequence at or after this one that is not contained. */
  long endOf(long sequence) {
    if (runs.isEmpty()) {
      return sequence;
    }
    Map.Entry<Long, Run> run = runs.floorEntry(sequence);
    return run == null ? sequence : Math.max(sequence, run.getValue().end());
  }

  /** Adds a sequence, which must not be present. */
  void add(long sequence, long entryBytes) {
    long start = sequence;
    long end = sequence + 1;
    long sum = entryBytes;
    Map.Entry<Long, Run> before = runs.lowerEntry(sequence);
    if (before != null && before.getValue().end() == sequence) {
      start = before.getValue().start();
      sum += before.getValue().bytes();
    }
    Run after = runs.remove(end);
    if (after != null) {
      end = after.end();
      sum += after.bytes();
    }
    runs.put(start, new Run(start, end, sum));
    count++;
    bytes += entryBytes;
  }

  /** Removes the runs below a sequence that is not contained. */
  void removeBelow(long sequence) {
    while (!runs.isEmpty() && runs.firstKey() < sequence) {
      Run run = runs.pollFirstEntry().getValue();
      count -= run.end() - run.start();
      bytes -= run.bytes();
    }
  }

  /** Returns the lowest sequences. */
  List<Long> first(int limit) {
    List<Long> sequences = new ArrayList<>();
    for (Run run : runs.values()) {
      for (long s = run.start(); s < run.end() && sequences.size() < limit; s++) {
        sequences.add(s);
      }
    }
    return sequences;
  }

  void write(ByteWriter out) {
    out.writeVarint(runs.size());
    long end = 0;
    for (Run run : runs.values()) {
      out.writeVarint(run.start() - end)
          .writeVarint(run.end() - run.start())
          .writeVarint(run.bytes());
      end = run.end();
    }
  }

  static SequenceRuns read(ByteReader in) {
    SequenceRuns result = new SequenceRuns();
    long end = 0;
    for (int remaining = in.readCount(3); remaining > 0; remaining--) {
      long start = end + in.readVarint();
      end = start + in.readVarint();
      Run run = new Run(start, end, in.readVarint());
      result.runs.put(start, run);
      result.count += end - start;
      result.bytes += run.bytes();
    }
    return result;
  }
}
