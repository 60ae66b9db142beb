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
import io.fjordmq.testing.MemoryDirectory;
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
  private static final int LIKELY_WILL_SEED = 5;

  /** Few nodes start to serve before they have the routes that others added meanwhile. */
  private static final int LIKELY_ROUTES_SEED = 29;

  /** Of {@link InboxStore}: those that begin with the handle of a connection. */
  private static final List<String> OWNER_OPERATIONS =
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

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

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
    assertDetected(slowClocks, 12, "the cluster knows to have ended", "does not count");
  }

  @Test
  void shouldDetectLeadersThatUseTheirWallClock() {
    ClusterDefect wallClocks =
        new ClusterDefect() {
          @Override
          public LongSupplier timestampSource(ClusterClock clock, SimMachine machine) {
            return machine.wall()::millis;
          }
        };
    // The clock of a range stands still until the wall clocks have caught up with it, and sessions
    // that begin meanwhile are not in the order of their incarnations. A clock that is ahead makes
    // sessions expire early.
    assertDetected(
        wallClocks,
        17,
        "wills have the expected fate",
        "is done, after an attach was answered with",
        "session present is false after clean start false");
  }

  @Test
  void shouldDetectABarrierThatSkipsANode() {
    ClusterDefect hasty =
        new ClusterDefect() {
          @Override
          public Membership wrapBarrierMembership(Membership membership) {
            return Defect.replaceMethod(
                Membership.class,
                membership,
                "watch",
                (call, arguments) ->
                    call.invoke(ignoringNode2((MembershipListener) firstArgument(arguments))));
          }
        };
    assertDetected(hasty, "serves and does not match");
  }

  private static MembershipListener ignoringNode2(MembershipListener listener) {
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
          public RouteStore wrapRouteStore(RouteStore router) {
            return Defect.replaceMethod(
                RouteStore.class, router, "add", Defect.completeImmediatelyWith(null));
          }
        };
    assertDetected(early, "serves and does not match");
  }

  @Test
  void shouldDetectANodeThatServesWithoutALease() {
    ClusterDefect ignoringLease =
        new ClusterDefect() {
          @Override
          public ServingState servingState(Membership membership) {
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
    assertDetected(ignoringLease, 3, "serves and does not match", "misses");
  }

  @Test
  void shouldDetectANodeAdmittedWithoutAllRoutes() {
    ClusterDefect unread = skippingReadIndex();
    assertDetected(unread, 2, "serves and does not match", "misses", "retained");
  }

  @Test
  void shouldDetectAnAcknowledgementBeforeTheMessageIsCommitted() {
    ClusterDefect early =
        inboxStoreDefect(
            "insert",
            (call, arguments) -> {
              call.invoke(arguments);
              int copies = ((List<?>) Objects.requireNonNull(arguments[1])).size();
              return CompletableFuture.completedFuture(
                  Collections.nCopies(copies, InsertOutcome.STORED));
            });
    assertDetected(early, 8, "misses", "wills have the expected fate"); // wills are messages, too
  }

  @Test
  void shouldDetectAnOldOwnerThatIsNotFenced() {
    Map<InboxId, InboxHandle> latest = new HashMap<>();
    ClusterDefect unfenced =
        new ClusterDefect() {
          @Override
          public InboxStore wrapInboxStore(InboxStore store) {
            InboxStore noting = recordingHandles(latest, attached -> attached, store);
            return withLatest(latest, "fetch", noting);
          }
        };
    assertDetected(unfenced, 6, "after an attach was answered");
  }

  @Test
  void shouldDetectAnAttachThatDoesNotRaiseTheEpoch() {
    Map<InboxId, InboxHandle> latest = new HashMap<>();
    ClusterDefect equal =
        new ClusterDefect() {
          @Override
          public InboxStore wrapInboxStore(InboxStore store) {
            InboxStore changed =
                recordingHandles(latest, ClusterDefectsTest::withInitialEpoch, store);
            for (String action : OWNER_OPERATIONS) {
              changed = withLatest(latest, action, changed);
            }
            return changed;
          }

          @Override
          public InboxListener wrapInboxListener(InboxListener events) {
            InboxListener told =
                Defect.replaceMethod(
                    InboxListener.class, events, "onFenced", (call, arguments) -> null);
            return Defect.replaceMethod(
                InboxListener.class,
                told,
                "onAppended",
                (call, arguments) -> {
                  arguments[1] =
                      withInitialEpoch((InboxHandle) Objects.requireNonNull(arguments[1]));
                  return call.invoke(arguments);
                });
          }
        };
    assertDetected(equal, "two connections own");
  }

  /** Records the handle of each attach and changes its result. */
  private static InboxStore recordingHandles(
      Map<InboxId, InboxHandle> latest, UnaryOperator<Attachment> answer, InboxStore store) {
    return Defect.replaceMethod(
        InboxStore.class,
        store,
        "attach",
        (call, arguments) ->
            ((CompletableFuture<?>) Objects.requireNonNull(call.invoke(arguments)))
                .thenApply(
                    answered -> {
                      Attachment attached = (Attachment) answered;
                      latest.put(attached.handle().id(), attached.handle());
                      return answer.apply(attached);
                    }));
  }

  /** Executes the action with the latest owner's handle, whichever handle the caller has. */
  private static InboxStore withLatest(
      Map<InboxId, InboxHandle> latest, String action, InboxStore store) {
    return Defect.replaceMethod(
        InboxStore.class,
        store,
        action,
        (call, arguments) -> {
          InboxHandle handle = (InboxHandle) firstArgument(arguments);
          arguments[0] = latest.getOrDefault(handle.id(), handle);
          return call.invoke(arguments);
        });
  }

  private static Attachment withInitialEpoch(Attachment attached) {
    return withHandle(attached, withInitialEpoch(attached.handle()));
  }

  private static InboxHandle withInitialEpoch(InboxHandle handle) {
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
          public ConsensusHost wrapConsensusHost(SimHost host, SimKv kv) {
            return Defect.replaceMethod(
                ConsensusHost.class,
                host,
                "open",
                (call, arguments) ->
                    call.invoke(
                        arguments[0],
                        withoutSenders(
                            (ReplicatedState) Objects.requireNonNull(arguments[1]),
                            SenderRows.of(kv, String.valueOf(arguments[0])))));
          }
        };
    assertDetected(forgetful, "have different rows");
  }

  private static ReplicatedState withoutSenders(ReplicatedState state, SenderRows senders) {
    return Defect.replaceMethod(
        ReplicatedState.class,
        state,
        "install",
        (call, arguments) -> {
          call.invoke(arguments);
          senders.remove();
          return null;
        });
  }

  @Test
  void shouldDetectAReceiverThatForgetsItsLastNumber() {
    ClusterDefect forgetful =
        new ClusterDefect() {
          @Override
          public PeerServices wrapPeerServices(PeerServices services) {
            return (name, handler) ->
                services.serve(
                    name,
                    name.equals(ForgetfulReceiver.SERVICE)
                        ? new ForgetfulReceiver(handler)
                        : handler);
          }
        };
    assertDetected(forgetful, 6, "as new ", "is resent", "after number", "members of");
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
    assertDetected(claimingToServe, "while the metadata have no leader");
  }

  /** The node detaches each client that it disconnects or loses as if the client had failed. */
  @Test
  void shouldDetectANodeWithoutALeaseThatPublishesWills() {
    String complaint = "before its client had the time to come back";
    AssertionError found =
        Seeds.find(
            complaint,
            LIKELY_WILL_SEED,
            MAX_SEEDS,
            seed ->
                new ClusterSimulation(
                        seed,
                        3,
                        directory.resolve("s" + seed),
                        publishingWillsWithoutLease(),
                        false)
                    .run());
    assertThat(found).hasMessageContaining(complaint);
  }

  private static ClusterDefect publishingWillsWithoutLease() {
    return new ClusterDefect() {
      @Override
      public InboxStore wrapInboxStore(InboxStore store) {
        return Defect.replaceMethod(
            InboxStore.class,
            store,
            "detachWithGrace",
            (call, arguments) ->
                store.detach(
                    (InboxHandle) firstArgument(arguments),
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
          public PeerServices wrapPeerServices(PeerServices services) {
            return (name, handler) ->
                services.serve(
                    name,
                    name.equals(PlacementAgent.NAME) ? hidingBrokenReplicas(handler) : handler);
          }
        };
    assertDetected(silent, 4, "not rebuilt", "has a halted replica", "no up-to-date replica");
  }

  @Test
  void shouldDetectANodeThatServesWithAnEmptyRouteReplica() {
    ClusterDefect careless =
        new ClusterDefect() {
          @Override
          public PlacementAgent.Consent wrapConsent(PlacementAgent.Consent consent) {
            return PlacementAgent.Consent.ALWAYS;
          }
        };
    assertDetected(careless, LIKELY_ROUTES_SEED, "serves and does not match");
  }

  /** Reports in which no replica is broken. Other responses are empty. */
  private static PeerServices.Handler hidingBrokenReplicas(PeerServices.Handler agent) {
    return (from, order) ->
        agent
            .handle(from, order)
            .thenApply(
                answer ->
                    answer.length == 0
                        ? answer
                        : withoutBrokenReplicas(RangeReports.decode(answer)));
  }

  private static byte[] withoutBrokenReplicas(RangeReports reports) {
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
    return new RangeReports(reports.metadataVersion(), replicas, reports.retired()).encode();
  }

  private static Object firstArgument(Object... arguments) {
    return Objects.requireNonNull(arguments[0]);
  }

  /** Replicas skip the read index and serve reads that may be outdated. */
  private static ClusterDefect skippingReadIndex() {
    return new ClusterDefect() {
      @Override
      public ConsensusHost wrapConsensusHost(SimHost host, SimKv kv) {
        return Defect.replaceMethod(
            ConsensusHost.class,
            host,
            "open",
            (call, arguments) ->
                Defect.replaceMethod(
                    Consensus.class,
                    (Consensus) Objects.requireNonNull(call.invoke(arguments)),
                    "readIndex",
                    (read, nothing) -> CompletableFuture.completedFuture(0L)));
      }
    };
  }

  private static ClusterDefect inboxStoreDefect(String method, Defect.Replacement instead) {
    return new ClusterDefect() {
      @Override
      public InboxStore wrapInboxStore(InboxStore store) {
        return Defect.replaceMethod(InboxStore.class, store, method, instead);
      }
    };
  }

  /**
   * @param complaints one of them is what a run that finds it says first
   */
  private void assertDetected(ClusterDefect defect, String... complaints) {
    assertDetected(defect, 1, complaints);
  }

  /**
   * @param likely a seed known to detect the defect; if it no longer does, the output of the test
   *     names the seed that does
   * @param complaints one of them is what a run that finds it says first
   */
  private void assertDetected(ClusterDefect defect, int likely, String... complaints) {
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
