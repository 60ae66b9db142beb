package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one incarnation of this node from its registration as STARTING to the point where it may
 * serve clients (decision 0036). Other nodes do not wait for a STARTING node, so the node catches
 * up before it asks to be counted (marked UP).
 *
 * <pre>
 * REGISTERED ─► CATCHING_UP ─► REQUESTING ─► COUNTED ─► PREPARING ─► DONE
 * </pre>
 *
 * <p>Retries failed steps until the incarnation ends. Runs on the membership thread.
 */
final class Admission {
  private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

  private enum Stage {
    REGISTERED("still starting"),
    CATCHING_UP("still catching up"),
    REQUESTING("not marked UP by the cluster yet"),
    COUNTED("waiting until every node knows that this node is UP"),
    /** Like CATCHING_UP, but for everything that was written until all nodes counted this one. */
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
  private final Timers timers;
  private final Callbacks callbacks;
  private Stage stage = Stage.REGISTERED;
  private long countedVersion;

  /**
   * Informs the incarnation about its admission.
   *
   * @param inProgress whether the incarnation has neither ended nor been admitted
   * @param onObstacle receives what the node is waiting for, for the operator
   * @param onCounted called when this node is UP; renews the lease at once, so that the leader
   *     learns that this node has applied its own record
   * @param onAdmitted called when the node has been admitted
   */
  record Callbacks(
      BooleanSupplier inProgress,
      Consumer<String> onObstacle,
      Runnable onCounted,
      Runnable onAdmitted) {}

  /**
   * @param up the record of the node once it is counted
   * @param registeredVersion the metadata version that registered the node as STARTING
   */
  Admission(
      NodeRecord up,
      long registeredVersion,
      MemberView members,
      LeaderCalls leader,
      MembershipSettings settings,
      Timers timers,
      Callbacks callbacks) {
    this.up = up;
    this.registeredVersion = registeredVersion;
    this.members = members;
    this.leader = leader;
    this.settings = settings;
    this.timers = timers;
    this.callbacks = callbacks;
    callbacks.onObstacle().accept(stage.obstacle);
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
    callbacks.onObstacle().accept(next.obstacle);
  }

  private void reportObstacle(Stage waiting, String reason) {
    if (stage == waiting) {
      callbacks.onObstacle().accept(waiting.obstacle + ": " + reason);
    }
  }

  private void catchUp() {
    members
        .whenApplied(registeredVersion)
        .thenComposeAsync(known -> prepareListeners(), timers)
        .whenCompleteAsync(
            (done, failure) ->
                proceed(failure, Stage.CATCHING_UP, this::requestAdmission, this::catchUp),
            timers);
  }

  private CompletableFuture<Void> prepareListeners() {
    return members.callListeners(listener -> listener.beforeAdmission(up.incarnation()));
  }

  private void proceed(@Nullable Throwable failure, Stage done, Runnable next, Runnable retry) {
    if (stage != done || !callbacks.inProgress().getAsBoolean()) {
      return;
    } else if (failure == null) {
      next.run();
      return;
    }
    String obstacle = "catching up failed: " + LeaderCalls.failureReason(null, failure);
    callbacks.onObstacle().accept(obstacle);
    LOG.warn("Cannot admit this node yet; retrying: {} incarnation={}", obstacle, up.incarnation());
    timers.schedule(
        settings.retryInterval().toMillis(),
        () -> {
          if (callbacks.inProgress().getAsBoolean()) {
            retry.run();
          }
        });
  }

  /**
   * Repeats the request until this node's own metadata shows that it is counted, because a response
   * can get lost.
   */
  private void requestAdmission() {
    if (stage == Stage.CATCHING_UP) {
      enter(Stage.REQUESTING);
    }
    onMembersChanged();
    if (stage == Stage.REQUESTING && callbacks.inProgress().getAsBoolean()) {
      sendAdmissionRequest();
    }
  }

  private void sendAdmissionRequest() {
    Change change = Change.put(NodeRecord.key(up.node()), up.encode(), registeredVersion);
    leader
        .call(new LeaderRequest.Write(List.of(change)), settings.lease())
        .whenCompleteAsync(
            (response, failure) -> {
              boolean written =
                  response instanceof LeaderResponse.Written done
                      && done.result() instanceof WriteResult.Applied;
              if (!written) {
                String reason = LeaderCalls.failureReason(response, failure);
                LOG.debug("Not marked UP yet; retrying: {}", reason);
                reportObstacle(Stage.REQUESTING, reason);
                timers.schedule(settings.retryInterval().toMillis(), this::requestAdmission);
              }
            },
            timers);
  }

  /**
   * Returns whether this is the write of {@link #sendAdmissionRequest}, by which a node becomes
   * counted.
   */
  static boolean isAdmissionRequest(NodeId from, Members members, List<Change> batch) {
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
  void onMembersChanged() {
    Members now = members.members();
    Member self = now.find(up.node());
    if (stage == Stage.REQUESTING
        && callbacks.inProgress().getAsBoolean()
        && self != null
        && self.incarnation() == up.incarnation()
        && self.isCounted()) {
      countedVersion = now.version();
      enter(Stage.COUNTED);
      callbacks.onCounted().run();
    }
  }

  /**
   * Must be called at every lease renewal.
   *
   * @param version the metadata version that all counted nodes have applied
   */
  void onAppliedByAll(long version) {
    if (stage == Stage.COUNTED && version >= countedVersion) {
      enter(Stage.PREPARING);
      prepare();
    }
  }

  private void prepare() {
    prepareListeners()
        .whenCompleteAsync(
            (done, failure) -> proceed(failure, Stage.PREPARING, this::finish, this::prepare),
            timers);
  }

  private void finish() {
    stage = Stage.DONE;
    callbacks.onAdmitted().run();
  }
}
