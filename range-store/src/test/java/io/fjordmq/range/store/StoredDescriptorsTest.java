package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.SimKv;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The substitute for a descriptor that cannot be read. */
class StoredDescriptorsTest {
  private static final String STORE = "words";
  private static final RangeId DAMAGED = new RangeId(STORE, 2);

  private final SimKv kv = new SimKv(new SimKv.Disk(), Runnable::run);
  private final Map<RangeId, RangeDescriptor> published = new HashMap<>();
  private final StoredDescriptors descriptors =
      new StoredDescriptors(kv, range -> Optional.ofNullable(published.get(range)));

  @SuppressWarnings("NullAway") // does not see in class files that an array may be null
  private static RangeDescriptor range(long number, String start, @Nullable String end) {
    byte[] endKey = end == null ? null : end.getBytes(UTF_8);
    return new RangeDescriptor(
        new RangeId(STORE, number),
        new KeyInterval(start.getBytes(UTF_8), endKey),
        RangeEpoch.FIRST,
        ReplicaSet.ofVoters(new NodeId("a")));
  }

  /** Its epoch is before all others, so that no node mistakes it for the current descriptor. */
  private static RangeDescriptor withUnknownEpoch(String start, @Nullable String end) {
    RangeDescriptor range = range(2, start, end);
    return new RangeDescriptor(
        range.id(), range.interval(), new RangeEpoch(0, 0), range.replicas());
  }

  private void store(long number, byte[] row) throws Exception {
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(number).descriptor(), row);
    kv.space(STORE).write(batch);
  }

  private void storeWhole(RangeDescriptor range) throws Exception {
    store(range.id().number(), RangeDescriptorCodec.encode(range));
  }

  /**
   * Publishes a range whose stored descriptor is damaged, and returns the descriptor that the node
   * uses instead.
   */
  private @Nullable RangeDescriptor substituteOf(RangeDescriptor range) throws Exception {
    published.put(range.id(), range);
    store(range.id().number(), new byte[] {1, 2, 3});
    List<RangeDescriptor> found = descriptors.load(STORE);
    RangeDescriptor substitute =
        found.stream().filter(one -> one.id().equals(range.id())).findFirst().orElse(null);
    if (substitute != null) {
      assertThat(descriptors.find(range.id())).isEqualTo(substitute);
    }
    return substitute;
  }

  @Test
  void shouldUseThePublishedDescriptor() throws Exception {
    storeWhole(range(1, "", "c"));
    storeWhole(range(3, "m", null));
    assertThat(substituteOf(range(2, "c", "m"))).isEqualTo(withUnknownEpoch("c", "m"));
  }

  /** Otherwise the replica of the new range would lose its rows when the damaged one is removed. */
  @Test
  void shouldExcludeTheKeysOfOtherReplicas() throws Exception {
    storeWhole(range(1, "", "d"));
    storeWhole(range(3, "f", null));
    assertThat(substituteOf(range(2, "c", "m"))).isEqualTo(withUnknownEpoch("d", "f"));
    storeWhole(range(4, "d", "f"));
    assertThat(substituteOf(range(2, "c", "m"))).isNull();
  }

  @Test
  void shouldNotOpenADamagedReplicaThatIsNotPublished() throws Exception {
    store(2, new byte[] {1, 2, 3});
    storeWhole(range(1, "", null));
    assertThat(descriptors.load(STORE)).containsExactly(range(1, "", null));
    assertThatThrownBy(() -> descriptors.find(DAMAGED)).isInstanceOf(MalformedBytesException.class);
  }

  @Test
  void shouldRejectTheDescriptorOfAnotherRange() throws Exception {
    store(2, RangeDescriptorCodec.encode(range(1, "", "c")));
    published.put(DAMAGED, range(2, "c", null));
    assertThat(descriptors.load(STORE)).containsExactly(withUnknownEpoch("c", null));
  }

  @Test
  void shouldFindNothingIfNoDescriptorIsStored() {
    assertThat(descriptors.load(STORE)).isEmpty();
    assertThat(descriptors.find(DAMAGED)).isNull();
  }
}
