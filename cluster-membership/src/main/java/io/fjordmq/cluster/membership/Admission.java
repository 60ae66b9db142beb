package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one life of this node from its registration as STARTING to where it may serve clients
 * (decision 0036). Nobody waits for a node that is STARTING, so it catches up first and asks to be
 * counted only then.
 *
 * <pre>
 * REGISTERED ─► CATCHING_UP ─► ASKING ─► COUNTED ─► PREPARING ─► DONE
 * </pre>
 *
 * <p>Repeats what fails until the life is over. Everything happens on the thread of the timers.
 */
final class Admission {
  private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

  private enum Stage {
    REGISTERED("it is still starting"),
    CATCHING_UP("it is still catching up"),
    ASKING("the cluster has not marked it UP yet"),
    COUNTED("not every node knows yet that it is UP"),
    /** As CATCHING_UP, for what was written until everybody counted it. */
    PREPARING(CATCHING_UP.obstacle),
    DONE("it serves clients");

    private final String obstacle;

    Stage(String obstacle) {
      this.obstacle = obstacle;
    }
  }

  private final NodeRecord up;
  private final long registeredVersion;
  private final MemberView members;
  private final LeaderCalls leader;
  private final MembershipSettings settings;
  private final SerialTimers timers;
  private final Incarnation life;
  private Stage stage = Stage.REGISTERED;
  private long countedVersion;

  /**
   * The life as this sees it.
   *
   * @param goesOn whether it has not ended and is not admitted yet
   * @param waits takes what it waits for, for the operator
   * @param counted called when this node is UP, so that others soon learn of it
   * @param admitted called last
   */
  record Incarnation(
      BooleanSupplier goesOn, Consumer<String> waits, Runnable counted, Runnable admitted) {}

  /**
   * @param up its record once it is counted
   * @param registeredVersion of the metadata that have it as STARTING
   */
  Admission(
      NodeRecord up,
      long registeredVersion,
      MemberView members,
      LeaderCalls leader,
      MembershipSettings settings,
      SerialTimers timers,
      Incarnation life) {
    this.up = up;
    this.registeredVersion = registeredVersion;
    this.members = members;
    this.leader = leader;
    this.settings = settings;
    this.timers = timers;
    this.life = life;
    life.waits().accept(stage.obstacle);
  }

  /** To be called once this node has opened its ranges. */
  void begin() {
    if (stage == Stage.REGISTERED) {
      enter(Stage.CATCHING_UP);
      catchUp();
    }
  }

  private void enter(Stage next) {
    stage = next;
    life.waits().accept(next.obstacle);
  }

  private void waitsFor(Stage waiting, String why) {
    if (stage == waiting) {
      life.waits().accept(waiting.obstacle + ": " + why);
    }
  }

  private void catchUp() {
    members
        .reached(registeredVersion)
        .thenComposeAsync(known -> bringUpToDate(), timers)
        .whenCompleteAsync(
            (done, failure) -> next(failure, Stage.CATCHING_UP, this::ask, this::catchUp), timers);
  }

  private CompletableFuture<Void> bringUpToDate() {
    return members.ask(listener -> listener.beforeAdmission(up.incarnation()));
  }

  private void next(@Nullable Throwable failure, Stage done, Runnable next, Runnable again) {
    if (stage != done || !life.goesOn().getAsBoolean()) {
      return;
    } else if (failure == null) {
      next.run();
      return;
    }
    String obstacle = "it failed to catch up: " + LeaderCalls.whyNot(null, failure);
    life.waits().accept(obstacle);
    LOG.warn("Could not admit this node, retrying: {} incarnation={}", obstacle, up.incarnation());
    timers.schedule(
        settings.retryPause().toMillis(),
        () -> {
          if (life.goesOn().getAsBoolean()) {
            again.run();
          }
        });
  }

  /** Until this node's own metadata say that it is counted: an answer may get lost. */
  private void ask() {
    if (stage == Stage.CATCHING_UP) {
      enter(Stage.ASKING);
    }
    membersChanged();
    if (stage == Stage.ASKING && life.goesOn().getAsBoolean()) {
      askLeader();
    }
  }

  private void askLeader() {
    Change change = Change.put(NodeRecord.key(up.node()), up.encode(), registeredVersion);
    leader
        .ask(new LeaderRequest.Write(List.of(change)), settings.lease())
        .whenCompleteAsync(
            (answer, failure) -> {
              boolean written =
                  answer instanceof LeaderAnswer.Written done
                      && done.result() instanceof WriteResult.Applied;
              if (!written) {
                String why = LeaderCalls.whyNot(answer, failure);
                LOG.debug("Not marked UP yet, asking again: {}", why);
                waitsFor(Stage.ASKING, why);
                timers.schedule(settings.retryPause().toMillis(), this::ask);
              }
            },
            timers);
  }

  /** Whether this write is that of {@link #askLeader}: the node is not counted without it. */
  static boolean asksToBeCounted(NodeId from, Members members, List<Change> batch) {
    Member member = members.find(from);
    return member != null
        && member.isAlive()
        && !member.isCounted()
        && batch.stream().anyMatch(change -> isUp(from, change));
  }

  private static boolean isUp(NodeId node, Change change) {
    byte[] value = change.value();
    if (value == null || !change.key().equals(NodeRecord.key(node))) {
      return false;
    }
    MetadataRecord record = new MetadataRecord(change.key(), value, 0);
    return NodeRecord.decode(record).state() == NodeRecord.State.UP;
  }

  /** To be called when the members have changed. */
  void membersChanged() {
    Members now = members.members();
    Member self = now.find(up.node());
    if (stage == Stage.ASKING
        && life.goesOn().getAsBoolean()
        && self != null
        && self.incarnation() == up.incarnation()
        && self.isCounted()) {
      countedVersion = now.version();
      enter(Stage.COUNTED);
      life.counted().run();
    }
  }

  /**
   * To be called with every renewal of the lease.
   *
   * @param version which all counted nodes have applied
   */
  void appliedByAll(long version) {
    if (stage == Stage.COUNTED && version >= countedVersion) {
      enter(Stage.PREPARING);
      prepare();
    }
  }

  private void prepare() {
    bringUpToDate()
        .whenCompleteAsync(
            (done, failure) -> next(failure, Stage.PREPARING, this::finish, this::prepare), timers);
  }

  private void finish() {
    stage = Stage.DONE;
    life.admitted().run();
  }
}
