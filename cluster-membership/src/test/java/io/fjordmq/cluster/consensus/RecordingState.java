package io.fjordmq.cluster.consensus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A minimal state: the list of applied values. Thread-safe, so that tests can read it while a group
 * runs. Its durable contents are in a {@link Disk}, which outlives it.
 */
public final class RecordingState implements ReplicatedState {
  private final Disk disk;
  private final List<String> applied;
  private final List<String> events = new ArrayList<>();
  private long appliedIndex;

  /** The contents that survive a restart of the state. */
  public static final class Disk {
    private long index;
    private List<String> content = List.of();
  }

  /** A proposal that records its outcome. */
  public static final class RecordingProposal implements Proposal {
    private final String value;
    private final List<String> outcomes = new ArrayList<>();

    public RecordingProposal(String value) {
      this.value = value;
    }

    public byte[] bytes() {
      return value.getBytes(StandardCharsets.UTF_8);
    }

    public String value() {
      return value;
    }

    @Override
    public synchronized void onFailed(ConsensusException cause) {
      outcomes.add(cause.kind().name());
    }

    synchronized void applied() {
      outcomes.add("APPLIED");
    }

    /** APPLIED or the kind of the failure; at most one if the implementation is correct. */
    public synchronized List<String> outcomes() {
      return List.copyOf(outcomes);
    }
  }

  public RecordingState(Disk disk) {
    this.disk = disk;
    this.appliedIndex = disk.index;
    this.applied = new ArrayList<>(disk.content);
  }

  /** Returns the applied values in order. */
  public synchronized List<String> applied() {
    return List.copyOf(applied);
  }

  /** Returns the other callbacks: {@code leading 3}, {@code following}, {@code halted}. */
  public synchronized List<String> events() {
    return List.copyOf(events);
  }

  @Override
  public synchronized long appliedIndex() {
    return appliedIndex;
  }

  @Override
  public synchronized void apply(List<CommittedEntry> entries) {
    int done = 0;
    try {
      for (CommittedEntry entry : entries) {
        apply(entry);
        done++;
      }
    } catch (RuntimeException e) {
      entries.stream().skip(done).forEach(RecordingState::fail);
      throw e;
    }
  }

  private static void fail(CommittedEntry entry) {
    if (entry.proposal() instanceof RecordingProposal offered) {
      offered.onFailed(
          new ConsensusException(
              ConsensusException.Kind.FAILED, "the state no longer accepts entries"));
    }
  }

  private void apply(CommittedEntry entry) {
    if (entry.index() <= appliedIndex) {
      throw new IllegalStateException("applied " + entry.index() + " after " + appliedIndex);
    }
    byte[] data = new byte[entry.data().remaining()];
    entry.data().get(data);
    String value = new String(data, StandardCharsets.UTF_8);
    if (value.equals("poison")) {
      throw new IllegalStateException("this state rejects the entry");
    }
    applied.add(value);
    appliedIndex = entry.index();
    if (entry.proposal() instanceof RecordingProposal offered) {
      if (!offered.value().equals(value)) {
        throw new IllegalStateException(offered.value() + " was returned as " + value);
      }
      offered.applied();
    }
  }

  @Override
  public synchronized void onLeaderStart(long term) {
    events.add("leading " + term);
  }

  @Override
  public synchronized void onLeaderStop() {
    events.add("following");
  }

  @Override
  public synchronized void checkpoint(CheckpointRequest request) {
    disk.index = appliedIndex;
    disk.content = List.copyOf(applied);
    request.onDurable();
  }

  @Override
  public synchronized long export(Path directory) throws IOException {
    Files.writeString(directory.resolve("index"), Long.toString(appliedIndex));
    Files.write(directory.resolve("content"), applied);
    return appliedIndex;
  }

  @Override
  public synchronized void install(Path directory) throws IOException {
    appliedIndex = Long.parseLong(Files.readString(directory.resolve("index")));
    applied.clear();
    applied.addAll(Files.readAllLines(directory.resolve("content")));
    disk.index = appliedIndex;
    disk.content = List.copyOf(applied);
    events.add("installed");
  }

  @Override
  public synchronized void onHalted(ConsensusException cause) {
    events.add("halted");
  }
}
