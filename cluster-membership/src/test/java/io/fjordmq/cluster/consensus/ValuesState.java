package io.fjordmq.cluster.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A state that is the list of applied values. {@link #durable} is the part on disk: it changes only
 * at a checkpoint or an install, and a state created by {@link #reopened} starts from it.
 */
public final class ValuesState implements ReplicatedState {
  /** The values applied up to an index. */
  record SavedValues(long appliedIndex, List<String> values) {}

  // Larger than a part of a snapshot.
  private static final byte[] PADDING = new byte[(5 << 20) / 2];

  static {
    new Random(7).nextBytes(PADDING);
  }

  private final long appliedAtOpen;
  private final List<String> values = new ArrayList<>();
  private final List<Long> indexes = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final List<Integer> batches = new ArrayList<>();
  private long applied;
  private SavedValues durable;
  private boolean leading;
  private int halts;
  private @Nullable ConsensusException haltCause;
  private @Nullable CheckpointRequest withheld;
  private boolean withholding;
  private boolean refusesToLead;
  private boolean failNextInstall;
  private @Nullable String requiredInSnapshots;
  private @Nullable String poison;
  private @Nullable CountDownLatch gate;

  public ValuesState() {
    this(new SavedValues(0, List.of()));
  }

  private ValuesState(SavedValues saved) {
    durable = saved;
    applied = saved.appliedIndex();
    appliedAtOpen = applied;
    values.addAll(saved.values());
  }

  /** The state after a crash and a restart. */
  public synchronized ValuesState reopened() {
    return new ValuesState(durable);
  }

  /** Like {@link #reopened}, but reports a higher applied index. */
  public synchronized ValuesState aheadBy(long entries) {
    return new ValuesState(new SavedValues(durable.appliedIndex() + entries, durable.values()));
  }

  /** Applying this value throws. */
  public synchronized ValuesState poisonedBy(String value) {
    poison = value;
    return this;
  }

  /** Blocks apply until the latch opens. */
  public synchronized ValuesState gatedBy(CountDownLatch latch) {
    gate = latch;
    return this;
  }

  /** The next install replaces half of the state and throws. */
  public synchronized ValuesState failingInstall() {
    failNextInstall = true;
    return this;
  }

  /** Refuses snapshots without this value. */
  public synchronized ValuesState refusingSnapshotsWithout(String value) {
    requiredInSnapshots = value;
    return this;
  }

  /** Throws from {@code leading}. */
  public synchronized ValuesState refusingToLead() {
    refusesToLead = true;
    return this;
  }

  public synchronized void withholdCheckpoints() {
    withholding = true;
  }

  @Override
  public long appliedIndex() {
    return appliedAtOpen;
  }

  @Override
  public void apply(List<CommittedEntry> entries) {
    awaitGate();
    synchronized (this) {
      batches.add(entries.size());
      entries.forEach(entry -> probe(entry).ifPresent(ProbeProposal::markPassedToState));
      for (CommittedEntry entry : entries) {
        String value = text(entry.data());
        if (value.equals(poison)) {
          throw new IllegalStateException("poisoned by " + value);
        }
        values.add(value);
        indexes.add(entry.index());
        applied = entry.index();
        probe(entry).ifPresent(probe -> probe.applied(entry.index()));
      }
    }
  }

  private static Optional<ProbeProposal> probe(CommittedEntry entry) {
    return Optional.ofNullable((ProbeProposal) entry.proposal());
  }

  private void awaitGate() {
    CountDownLatch latch;
    synchronized (this) {
      latch = gate;
    }
    if (latch != null) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  public static String text(ByteBuffer data) {
    return StandardCharsets.UTF_8.decode(data.duplicate()).toString();
  }

  @Override
  public synchronized void onLeaderStart(long term) {
    if (refusesToLead) {
      throw new IllegalStateException("cannot lead");
    }
    leading = true;
    events.add("leading");
  }

  @Override
  public synchronized void onLeaderStop() {
    leading = false;
    events.add("following");
  }

  @Override
  public synchronized void checkpoint(CheckpointRequest request) {
    if (withholding) {
      withheld = request;
      return;
    }
    durable = new SavedValues(applied, List.copyOf(values));
    request.onDurable();
  }

  @Override
  public synchronized long export(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.createDirectories(directory.resolve("parts"));
    Files.writeString(directory.resolve("applied"), Long.toString(applied));
    Files.write(directory.resolve("parts/values"), values);
    Files.write(directory.resolve("parts/several"), PADDING);
    Files.createFile(directory.resolve("parts/none"));
    return applied;
  }

  @Override
  public synchronized void install(Path directory) throws IOException {
    List<String> incoming = Files.readAllLines(directory.resolve("parts/values"));
    if (requiredInSnapshots != null && !incoming.contains(requiredInSnapshots)) {
      events.add("refused");
      throw new SnapshotRefusedException("a snapshot without " + requiredInSnapshots);
    }
    values.clear();
    if (failNextInstall) {
      failNextInstall = false;
      durable = new SavedValues(durable.appliedIndex(), List.of("torn"));
      throw new IOException("torn");
    }
    if (!Arrays.equals(Files.readAllBytes(directory.resolve("parts/several")), PADDING)
        || Files.size(directory.resolve("parts/none")) != 0) {
      throw new IOException("the snapshot was damaged in transit");
    }
    values.addAll(incoming);
    applied = Long.parseLong(Files.readString(directory.resolve("applied")));
    durable = new SavedValues(applied, List.copyOf(values));
    events.add("installed");
  }

  @Override
  public synchronized void onHalted(ConsensusException cause) {
    halts++;
    haltCause = cause;
    events.add("halted");
  }

  public synchronized List<String> values() {
    return List.copyOf(values);
  }

  public synchronized List<Long> indexes() {
    return List.copyOf(indexes);
  }

  public synchronized List<String> events() {
    return List.copyOf(events);
  }

  public synchronized List<Integer> batches() {
    return List.copyOf(batches);
  }

  synchronized boolean isLeading() {
    return leading;
  }

  public synchronized int halts() {
    return halts;
  }

  public synchronized @Nullable ConsensusException haltCause() {
    return haltCause;
  }

  public synchronized @Nullable CheckpointRequest withheld() {
    return withheld;
  }
}
