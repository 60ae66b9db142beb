package io.fjordmq.broker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.session.ServingState;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimMachine;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.placement.RangeReports;
import io.fjordmq.range.placement.ReplicaReport;
import io.fjordmq.router.RouteStore;
import io.fjordmq.testing.Seeds;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verifies the simulation itself: it must detect each of these defects. */
@Tag("slow")
class ClusterDefectsTest {
  private static final int MAX_SEEDS = 120;

  /** Few runs lose a connection at a node without a lease and reconnect elsewhere. */
  private static final int ACCUSING_SEED = 7;

  /** Of {@link InboxStore}: those that begin with the handle of a connection. */
  private static final List<String> OWNERS_ACTIONS =
      List.of(
          "detach",
          "detachWithGrace",
          "detachAtClose",
          "subscribe",
          "unsubscribe",
          "fetch",
          "commit",
          "release",
          "recordReceived",
          "forgetReceived");

  @TempDir Path directory;

  @Test
  void shouldDetectNodesThatTrustTheirLeaseForTooLong() {
    ClusterDefect slowClocks =
        new ClusterDefect() {
          @Override
          public double clockRate(NodeId node) {
            return node.value().equals("node1") ? 0.4 : 1;
          }

          @Override
          public boolean keepsClients() {
            return false;
          }
        };
    assertFound(slowClocks, "the cluster knows to have ended", "does not count");
  }

  @Test
  void shouldDetectLeadersThatUseTheirWallClock() {
    ClusterDefect wallClocks =
        new ClusterDefect() {
          @Override
          public LongSupplier stamps(ClusterClock clock, SimMachine machine) {
            return machine.wall()::millis;
          }
        };
    // The clock of a range stands still until the wall clocks have caught up with it, and sessions
    // that begin meanwhile are not in the order of their incarnations.
    assertFound(
        wallClocks, "wills have the expected fate", "is done, after an attach was answered with");
  }

  @Test
  void shouldDetectABarrierThatSkipsANode() {
    ClusterDefect hasty =
        new ClusterDefect() {
          @Override
          public Membership counted(Membership membership) {
            return Defect.changed(
                Membership.class,
                membership,
                "watch",
                (call, arguments) -> call.make(skipping((MembershipListener) given(arguments))));
          }
        };
    assertFound(hasty, "serves and does not match");
  }

  private static MembershipListener skipping(MembershipListener listener) {
    return new MembershipListener() {
      @Override
      public void onMembersChanged(Members members) {
        Map<NodeId, Member> others = new HashMap<>(members.byNode());
        others.remove(new NodeId("node2"));
        listener.onMembersChanged(new Members(members.version(), others));
      }
    };
  }

  @Test
  void shouldDetectASubackBeforeEveryNodeHasTheRoute() {
    ClusterDefect early =
        new ClusterDefect() {
          @Override
          public RouteStore router(RouteStore router) {
            return Defect.changed(RouteStore.class, router, "add", Defect.answeredWith(null));
          }
        };
    assertFound(early, "serves and does not match");
  }

  @Test
  void shouldDetectANodeThatServesWithoutALease() {
    ClusterDefect ignoringLease =
        new ClusterDefect() {
          @Override
          public ServingState serving(Membership membership) {
            long[] admitted = new long[1];
            return () -> {
              long life = membership.incarnation();
              if (membership.isServing()) {
                admitted[0] = life;
              }
              return admitted[0] == life && membership.members().isAlive(membership.self(), life)
                  ? null
                  : membership.notServingReason();
            };
          }
        };
    assertFound(ignoringLease, "serves and does not match", "misses");
  }

  @Test
  void shouldDetectANodeAdmittedWithoutAllRoutes() {
    ClusterDefect unread = unread();
    assertFound(unread, "serves and does not match", "misses", "retained");
  }

  @Test
  void shouldDetectAnAcknowledgementBeforeTheMessageIsCommitted() {
    ClusterDefect early =
        inboxes(
            "insert",
            (call, arguments) -> {
              call.make(arguments);
              int copies = ((List<?>) Objects.requireNonNull(arguments[1])).size();
              return CompletableFuture.completedFuture(
                  Collections.nCopies(copies, InsertOutcome.STORED));
            });
    assertFound(early, "misses", "wills have the expected fate"); // wills are messages, too
  }

  @Test
  void shouldDetectAnOldOwnerThatIsNotFenced() {
    Map<InboxId, InboxHandle> latest = new HashMap<>();
    ClusterDefect unfenced =
        new ClusterDefect() {
          @Override
          public InboxStore inboxes(InboxStore store) {
            InboxStore noting = recordingHandles(latest, attached -> attached, store);
            return withLatest(latest, "fetch", noting);
          }
        };
    assertFound(unfenced, "after an attach was answered");
  }

  @Test
  void shouldDetectAnAttachThatDoesNotRaiseTheEpoch() {
    Map<InboxId, InboxHandle> latest = new HashMap<>();
    ClusterDefect equal =
        new ClusterDefect() {
          @Override
          public InboxStore inboxes(InboxStore store) {
            InboxStore changed = recordingHandles(latest, ClusterDefectsTest::notRaised, store);
            for (String action : OWNERS_ACTIONS) {
              changed = withLatest(latest, action, changed);
            }
            return changed;
          }

          @Override
          public InboxListener listener(InboxListener events) {
            InboxListener told =
                Defect.changed(InboxListener.class, events, "onFenced", (call, arguments) -> null);
            return Defect.changed(
                InboxListener.class,
                told,
                "onAppended",
                (call, arguments) -> {
                  arguments[1] = notRaised((InboxHandle) Objects.requireNonNull(arguments[1]));
                  return call.make(arguments);
                });
          }
        };
    assertFound(equal, "two connections were given");
  }

  /** Notes the handle of each attach, and answers with what becomes of it. */
  private static InboxStore recordingHandles(
      Map<InboxId, InboxHandle> latest, UnaryOperator<Attachment> answer, InboxStore store) {
    return Defect.changed(
        InboxStore.class,
        store,
        "attach",
        (call, arguments) ->
            ((CompletableFuture<?>) Objects.requireNonNull(call.make(arguments)))
                .thenApply(
                    answered -> {
                      Attachment attached = (Attachment) answered;
                      latest.put(attached.handle().id(), attached.handle());
                      return answer.apply(attached);
                    }));
  }

  /** Acts as the latest owner, whoever asks. */
  private static InboxStore withLatest(
      Map<InboxId, InboxHandle> latest, String action, InboxStore store) {
    return Defect.changed(
        InboxStore.class,
        store,
        action,
        (call, arguments) -> {
          InboxHandle handle = (InboxHandle) given(arguments);
          arguments[0] = latest.getOrDefault(handle.id(), handle);
          return call.make(arguments);
        });
  }

  private static Attachment notRaised(Attachment attached) {
    return withHandle(attached, notRaised(attached.handle()));
  }

  private static InboxHandle notRaised(InboxHandle handle) {
    return new InboxHandle(handle.id(), handle.incarnation(), 1);
  }

  private static Attachment withHandle(Attachment attachment, InboxHandle handle) {
    return new Attachment(
        handle,
        attachment.sessionPresent(),
        attachment.subscriptions(),
        attachment.discarded(),
        attachment.firstUndelivered(),
        attachment.nextSequence(),
        attachment.sentBelow(),
        attachment.released(),
        attachment.acknowledged(),
        attachment.receivedQos2(),
        attachment.nextPublishSequence(),
        attachment.connectOrder());
  }

  @Test
  void shouldDetectASnapshotWithoutTheSenderTable() {
    ClusterDefect forgetful =
        new ClusterDefect() {
          @Override
          public ConsensusHost host(SimHost host, SimKv kv) {
            return Defect.changed(
                ConsensusHost.class,
                host,
                "open",
                (call, arguments) ->
                    call.make(
                        arguments[0],
                        withoutSenders(
                            (ReplicatedState) Objects.requireNonNull(arguments[1]),
                            SenderRows.of(kv, String.valueOf(arguments[0])))));
          }
        };
    assertFound(forgetful, "have different rows");
  }

  private static ReplicatedState withoutSenders(ReplicatedState state, SenderRows senders) {
    return Defect.changed(
        ReplicatedState.class,
        state,
        "install",
        (call, arguments) -> {
          call.make(arguments);
          senders.remove();
          return null;
        });
  }

  @Test
  void shouldDetectAReceiverThatForgetsItsLastNumber() {
    ClusterDefect forgetful =
        new ClusterDefect() {
          @Override
          public PeerServices services(PeerServices services) {
            return (name, handler) ->
                services.serve(
                    name,
                    name.equals(ForgetfulReceiver.SERVICE)
                        ? new ForgetfulReceiver(handler)
                        : handler);
          }
        };
    assertFound(forgetful, "as new ", "comes again", "after number", "members of");
  }

  @Test
  void shouldDetectANodeThatRedirectsClientsAlthoughNoNodeServes() {
    ClusterDefect claimingToServe =
        new ClusterDefect() {
          @Override
          public boolean claimsToServe() {
            return true;
          }
        };
    assertFound(claimingToServe, "while the metadata have no leader");
  }

  /** It says of each client that it sends away, or loses, that the client has gone. */
  @Test
  void shouldDetectANodeWithoutALeaseThatPublishesWills() {
    String complaint = "before its client had the time to come back";
    AssertionError found =
        Seeds.find(
            complaint,
            ACCUSING_SEED,
            MAX_SEEDS,
            seed ->
                new ClusterSimulation(seed, 3, directory.resolve("s" + seed), accusing(), false)
                    .run());
    assertThat(found).hasMessageContaining(complaint);
  }

  private static ClusterDefect accusing() {
    return new ClusterDefect() {
      @Override
      public InboxStore inboxes(InboxStore store) {
        return Defect.changed(
            InboxStore.class,
            store,
            "detachWithGrace",
            (call, arguments) ->
                store.detach(
                    (InboxHandle) given(arguments),
                    (Long) Objects.requireNonNull(arguments[1]),
                    (Long) Objects.requireNonNull(arguments[2]),
                    true));
      }
    };
  }

  @Test
  void shouldDetectABrokenReplicaThatIsNotRebuilt() {
    ClusterDefect silent =
        new ClusterDefect() {
          @Override
          public PeerServices services(PeerServices services) {
            return (name, handler) ->
                services.serve(
                    name, name.equals(PlacementAgent.NAME) ? withoutBroken(handler) : handler);
          }
        };
    assertFound(silent, "not rebuilt", "has a halted replica", "no up-to-date replica");
  }

  @Test
  void shouldDetectANodeThatServesWithAnEmptyRouteReplica() {
    ClusterDefect careless =
        new ClusterDefect() {
          @Override
          public PlacementAgent.Consent consent(PlacementAgent.Consent consent) {
            return PlacementAgent.Consent.ALWAYS;
          }
        };
    assertFound(careless, 267, "serves and does not match");
  }

  /** Reports that say of no replica that it is broken. Other answers are empty. */
  private static PeerServices.Handler withoutBroken(PeerServices.Handler agent) {
    return (from, order) ->
        agent
            .handle(from, order)
            .thenApply(
                answer -> answer.length == 0 ? answer : allSound(RangeReports.decode(answer)));
  }

  private static byte[] allSound(RangeReports reports) {
    List<ReplicaReport> replicas =
        reports.replicas().stream()
            .map(
                replica ->
                    new ReplicaReport(
                        replica.range(),
                        replica.epoch(),
                        replica.keys(),
                        replica.role(),
                        replica.term(),
                        replica.replicas(),
                        replica.appliedIndex(),
                        replica.lastIndex(),
                        replica.failure(),
                        replica.merging(),
                        replica.load(),
                        false))
            .toList();
    return new RangeReports(reports.metadata(), replicas, reports.retired()).encode();
  }

  private static Object given(Object... arguments) {
    return Objects.requireNonNull(arguments[0]);
  }

  /** Replicas believe that they have read all without asking. */
  private static ClusterDefect unread() {
    return new ClusterDefect() {
      @Override
      public ConsensusHost host(SimHost host, SimKv kv) {
        return Defect.changed(
            ConsensusHost.class,
            host,
            "open",
            (call, arguments) ->
                Defect.changed(
                    Consensus.class,
                    (Consensus) Objects.requireNonNull(call.make(arguments)),
                    "readIndex",
                    (read, nothing) -> CompletableFuture.completedFuture(0L)));
      }
    };
  }

  private static ClusterDefect inboxes(String method, Defect.Replacement instead) {
    return new ClusterDefect() {
      @Override
      public InboxStore inboxes(InboxStore store) {
        return Defect.changed(InboxStore.class, store, method, instead);
      }
    };
  }

  /**
   * @param complaints one of them is what a run that finds it says first
   */
  private void assertFound(ClusterDefect defect, String... complaints) {
    assertFound(defect, 1, complaints);
  }

  /**
   * @param likely a seed known to detect a defect that few seeds detect
   * @param complaints one of them is what a run that finds it says first
   */
  private void assertFound(ClusterDefect defect, int likely, String... complaints) {
    AssertionError found =
        Seeds.find(
            String.join(" or ", complaints),
            likely,
            MAX_SEEDS,
            seed ->
                new ClusterSimulation(seed, 3, directory.resolve("s" + seed), defect, false).run());
    assertThat(complaints)
        .as(found.getMessage())
        .anySatisfy(complaint -> assertThat(found).hasMessageContaining(complaint));
  }
}
