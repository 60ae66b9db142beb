package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a store's space. All ranges of a store share one space, so that a split copies
 * nothing; the engine's rows and the data are in the same space, so that a crash never loses one
 * without the other.
 *
 * <pre>
 * 00 | u64 range | 01              descriptor
 * 00 | u64 range | 02              progress: applied index, clock, next sender
 * 00 | u64 range | 03 | u64 sender the last batch of a sender
 * 00 | u64 range | 04              a snapshot is being installed
 * 00 | u64 range | 05              the replica is being removed (1) or was removed (2)
 * 00 | u64 range | 06 | u64 range  descriptor of a range that was split off, as of the split
 * 00 | u64 range | 07              the range is frozen for its left neighbor
 * 00 | u64 range | 08              remnants of a range that was merged into another, besides 03
 * 00 | u64 range | 09 | u64 range  a range that this one has absorbed
 * 01 | key                         data
 * </pre>
 */
final class RangeKeys {
  static final byte ENGINE = 0;
  static final byte DATA = 1;
  static final byte AFTER_DATA = 2;

  private static final byte DESCRIPTOR = 1;
  private static final byte PROGRESS = 2;
  private static final byte SENDER = 3;
  private static final byte INSTALLING = 4;
  private static final byte REMOVING = 5;
  private static final byte CHILD = 6;
  private static final byte FROZEN = 7;
  private static final byte ABSORBED = 8;
  private static final byte ABSORBED_RANGE = 9;
  private static final byte AFTER_LAST_KIND = 10;

  private final long range;

  RangeKeys(long range) {
    this.range = range;
  }

  byte[] descriptor() {
    return row(DESCRIPTOR);
  }

  byte[] progress() {
    return row(PROGRESS);
  }

  /** Returns whether the key is that of any range's progress. */
  static boolean isProgress(byte[] key) {
    return key.length == 10 && key[0] == ENGINE && key[9] == PROGRESS;
  }

  byte[] sender(long sender) {
    return ByteBuffer.allocate(18).put(row(SENDER)).putLong(sender).array();
  }

  byte[] sendersFrom() {
    return row(SENDER);
  }

  byte[] sendersTo() {
    return row(INSTALLING);
  }

  byte[] installing() {
    return row(INSTALLING);
  }

  byte[] removing() {
    return row(REMOVING);
  }

  /** Returns whether a row of this range concerns only the replica on this node. */
  boolean isLocal(byte[] key) {
    return key.length == 10
        && key[0] == ENGINE
        && (key[9] == INSTALLING || key[9] == REMOVING)
        && rangeOf(key) == range;
  }

  byte[] child(long number) {
    return ByteBuffer.allocate(18).put(row(CHILD)).putLong(number).array();
  }

  boolean isChild(byte[] key) {
    return key.length == 18 && key[9] == CHILD && Arrays.equals(key, child(numberOf(key)));
  }

  byte[] childrenFrom() {
    return row(CHILD);
  }

  byte[] childrenTo() {
    return row(FROZEN);
  }

  byte[] frozen() {
    return row(FROZEN);
  }

  /** Returns whether the key is that of any range's freeze record. */
  static boolean isFrozen(byte[] key) {
    return key.length == 10 && key[0] == ENGINE && key[9] == FROZEN;
  }

  byte[] absorbed() {
    return row(ABSORBED);
  }

  byte[] absorbedRange(long number) {
    return ByteBuffer.allocate(18).put(row(ABSORBED_RANGE)).putLong(number).array();
  }

  boolean isAbsorbedRange(byte[] key) {
    return key.length == 18
        && key[9] == ABSORBED_RANGE
        && Arrays.equals(key, absorbedRange(numberOf(key)));
  }

  byte[] absorbedRangesFrom() {
    return row(ABSORBED_RANGE);
  }

  byte[] absorbedRangesTo() {
    return row(AFTER_LAST_KIND);
  }

  /** Returns the start of all engine rows of the range. */
  byte[] first() {
    return row((byte) 0);
  }

  byte[] end() {
    return row(AFTER_LAST_KIND);
  }

  private byte[] row(byte kind) {
    return ByteBuffer.allocate(10).put(ENGINE).putLong(range).put(kind).array();
  }

  static long senderOf(byte[] senderKey) {
    return numberOf(senderKey);
  }

  /** Returns the number at the end of the key of a sender, a child or an absorbed range. */
  static long numberOf(byte[] key) {
    return ByteBuffer.wrap(key).getLong(10);
  }

  /** Returns the range that an engine row belongs to. */
  static long rangeOf(byte[] engineKey) {
    return ByteBuffer.wrap(engineKey).getLong(1);
  }

  static byte[] data(byte[] key) {
    byte[] row = new byte[key.length + 1];
    row[0] = DATA;
    System.arraycopy(key, 0, row, 1, key.length);
    return row;
  }

  /** Returns the row before which all data with keys below {@code end} is located. */
  static byte[] dataEnd(byte @Nullable [] end) {
    return end == null ? new byte[] {AFTER_DATA} : data(end);
  }

  static boolean isDataOf(KeyInterval interval, byte[] row) {
    byte[] end = dataEnd(interval.end());
    return Arrays.compareUnsigned(data(interval.start()), row) <= 0
        && Arrays.compareUnsigned(row, end) < 0;
  }

  /** Returns the numbers of ranges whose replica is being removed or was removed. */
  static List<Long> removed(KvReader space) {
    return rangesWithRow(REMOVING, space);
  }

  /** Returns the numbers of ranges that were merged into others on this node. */
  static List<Long> absorbed(KvReader space) {
    return rangesWithRow(ABSORBED, space);
  }

  private static List<Long> rangesWithRow(byte kind, KvReader space) {
    List<Long> found = new ArrayList<>();
    visit(kind, space, (number, row) -> found.add(number));
    return found;
  }

  /** Returns the descriptors of all ranges in a space, as stored. */
  static List<byte[]> descriptors(KvReader space) {
    List<byte[]> found = new ArrayList<>();
    visitDescriptors(space, (number, row) -> found.add(row));
    return found;
  }

  /** Visits the descriptors of all ranges, as stored. */
  static void visitDescriptors(KvReader space, RowOfRange visitor) {
    visit(DESCRIPTOR, space, visitor);
  }

  /** Visits the freeze records of all ranges, as stored. */
  static void visitFrozen(KvReader space, RowOfRange visitor) {
    visit(FROZEN, space, visitor);
  }

  /** Receives an engine row and the number of its range. */
  @FunctionalInterface
  interface RowOfRange {
    void visit(long number, byte[] row);
  }

  private static void visit(byte kind, KvReader space, RowOfRange visitor) {
    space.scan(
        new byte[] {ENGINE},
        new byte[] {DATA},
        (key, value) -> {
          if (key[9] == kind) {
            visitor.visit(rangeOf(key), value);
          }
          return true;
        });
  }
}
