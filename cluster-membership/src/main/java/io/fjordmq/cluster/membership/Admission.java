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
 * Takes one incarnation of this node from its registration as STARTING to the point where it may
 * serve clients (decision 0036). Other nodes do not wait for a STARTING node, so it catches up
 * before it asks to be counted.
 *
 * <pre>
 * REGISTERED ─► CATCHING_UP ─► ASKING ─► COUNTED ─► PREPARING ─► DONE
 * </pre>
 *
 * <p>Retries failed steps until the incarnation ends. Runs on the membership thread.
 */
final class Admission {
  private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

  private enum Stage {
    REGISTERED("still starting"),
    CATCHING_UP("still catching up"),
    ASKING("not marked UP by the cluster yet"),
    COUNTED("waiting until every node knows that this node is UP"),
    /** Like CATCHING_UP, for everything written until all nodes counted this one. */
    PREPARING(CATCHING_UP.obstacle),
    DONE("serving clients");

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
  private final Incarnation incarnation;
  private Stage stage = Stage.REGISTERED;
  private long countedVersion;

  /**
   * The incarnation, as far as the admission needs it.
   *
   * @param inProgress whether the incarnation has neither ended nor been admitted
   * @param onObstacle receives what the node is waiting for, for the operator
   * @param counted called when this node is UP, so that it can notify the others quickly
   * @param admitted called at the end
   */
  record Incarnation(
      BooleanSupplier inProgress,
      Consumer<String> onObstacle,
      Runnable counted,
      Runnable admitted) {}

  /**
   * @param up the record of the node once it is counted
   * @param registeredVersion the metadata version that registered it as STARTING
   */
  Admission(
      NodeRecord up,
      long registeredVersion,
      MemberView members,
      LeaderCalls leader,
      MembershipSettings settings,
      SerialTimers timers,
      Incarnation incarnation) {
    this.up = up;
    this.registeredVersion = registeredVersion;
    this.members = members;
    this.leader = leader;
    this.settings = settings;
    this.timers = timers;
    this.incarnation = incarnation;
    incarnation.onObstacle().accept(stage.obstacle);
  }

  /** Must be called once this node has opened its ranges. */
  void begin() {
    if (stage == Stage.REGISTERED) {
      enter(Stage.CATCHING_UP);
      catchUp();
    }
  }

  private void enter(Stage next) {
    stage = next;
    incarnation.onObstacle().accept(next.obstacle);
  }

  private void waitsFor(Stage waiting, String why) {
    if (stage == waiting) {
      incarnation.onObstacle().accept(waiting.obstacle + ": " + why);
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
    return members.callListeners(listener -> listener.beforeAdmission(up.incarnation()));
  }

  private void next(@Nullable Throwable failure, Stage done, Runnable next, Runnable again) {
    if (stage != done || !incarnation.inProgress().getAsBoolean()) {
      return;
    } else if (failure == null) {
      next.run();
      return;
    }
    String obstacle = "catching up failed: " + LeaderCalls.failureReason(null, failure);
    incarnation.onObstacle().accept(obstacle);
    LOG.warn("Cannot admit this node yet, retrying: {} incarnation={}", obstacle, up.incarnation());
    timers.schedule(
        settings.retryPause().toMillis(),
        () -> {
          if (incarnation.inProgress().getAsBoolean()) {
            again.run();
          }
        });
  }

  /**
   * Repeats the request until this node's own metadata show that it is counted, because a response
   * can get lost.
   */
  private void ask() {
    if (stage == Stage.CATCHING_UP) {
      enter(Stage.ASKING);
    }
    membersChanged();
    if (stage == Stage.ASKING && incarnation.inProgress().getAsBoolean()) {
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
                String why = LeaderCalls.failureReason(answer, failure);
                LOG.debug("Not marked UP yet, asking again: {}", why);
                waitsFor(Stage.ASKING, why);
                timers.schedule(settings.retryPause().toMillis(), this::ask);
              }
            },
            timers);
  }

  /** Whether this is the write of {@link #askLeader}, by which a node becomes counted. */
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

  /** Must be called when the members have changed. */
  void membersChanged() {
    Members now = members.members();
    Member self = now.find(up.node());
    if (stage == Stage.ASKING
        && incarnation.inProgress().getAsBoolean()
        && self != null
        && self.incarnation() == up.incarnation()
        && self.isCounted()) {
      countedVersion = now.version();
      enter(Stage.COUNTED);
      incarnation.counted().run();
    }
  }

  /**
   * Must be called at every lease renewal.
   *
   * @param version the metadata version that all counted nodes have applied
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
    incarnation.admitted().run();
  }
}
