package io.fjordmq.broker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.RouteStore;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verifies the simulation itself: the right check must detect each injected defect. */
@Tag("slow")
class PlantedDefectsTest {
  private static final int MAX_SEEDS = 40;

  /** Few runs change a leader while a push is missing. */
  private static final int LIKELY_REFETCH_SEED = 16;

  /** Few members of a share leave with unacknowledged messages. */
  private static final int LIKELY_SHARE_SEED = 36;

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  @Test
  void shouldDetectAnAcknowledgementBeforeTheMessageIsStored() {
    Defect.Replacement stored =
        (call, arguments) -> {
          call.invoke(arguments);
          int copies = ((List<?>) Objects.requireNonNull(arguments[1])).size();
          return CompletableFuture.completedFuture(
              Collections.nCopies(copies, InsertOutcome.STORED));
        };
    assertDetected(inboxStoreDefect("insert", stored), "misses");
  }

  @Test
  void shouldDetectASubackBeforeTheRouteIsAdded() {
    Defect early =
        new Defect() {
          @Override
          public RouteStore wrapRouteStore(RouteStore router) {
            return Defect.replaceMethod(
                RouteStore.class, router, "add", Defect.completeImmediatelyWith(null));
          }
        };
    assertDetected(early, "misses");
  }

  @Test
  void shouldDetectALostPush() {
    Defect lossy =
        new Defect() {
          private int pushes;

          @Override
          public InboxListener wrapInboxListener(InboxListener events) {
            return Defect.replaceMethod(
                InboxListener.class,
                events,
                "onAppended",
                (call, arguments) -> ++pushes % 3 == 0 ? null : call.invoke(arguments));
          }
        };
    // A will's push may be the first that nobody gets.
    assertDetected(lossy, "misses", "wills have the");
  }

  @Test
  void shouldDetectAMissingRefetchAfterALeaderChange() {
    Defect withoutRefetch =
        new Defect() {
          @Override
          public InboxListener wrapInboxListener(InboxListener events) {
            return Defect.replaceMethod(
                InboxListener.class, events, "onLeaderStart", (call, arguments) -> null);
          }
        };
    assertDetected(withoutRefetch, LIKELY_REFETCH_SEED, "misses");
  }

  @Test
  void shouldDetectARepeatedQos2PublishThatIsStoredAgain() {
    assertDetected(
        inboxStoreDefect(
            "insert",
            (call, arguments) -> {
              @Nullable Object[] anonymous = arguments.clone();
              anonymous[2] = null; // the publish id
              return call.invoke(anonymous);
            }),
        "as new 2 times");
  }

  @Test
  void shouldDetectAReceivedIdentifierThatIsNotDurable() {
    assertDetected(
        inboxStoreDefect(
            "recordReceived", (call, arguments) -> CompletableFuture.completedFuture(null)),
        "misses",
        "as new 2 times");
  }

  @Test
  void shouldDetectAForgottenPubrec() {
    assertDetected(
        inboxStoreDefect("release", (call, arguments) -> CompletableFuture.completedFuture(null)),
        "as new 2 times");
  }

  @Test
  void shouldDetectAResentMessageWithoutDup() {
    assertDetected(
        attachDefect(
            real ->
                new Attachment(
                    real.handle(),
                    real.sessionPresent(),
                    real.subscriptions(),
                    real.discarded(),
                    real.firstUndelivered(),
                    real.nextSequence(),
                    0,
                    real.released(),
                    real.acknowledged(),
                    real.receivedQos2(),
                    real.nextPublishSequence(),
                    real.connectOrder())),
        "without DUP");
  }

  @Test
  void shouldDetectARetainedMessageThatIsNotStored() {
    Defect forgetful =
        new Defect() {
          @Override
          public RetainStore wrapRetainStore(RetainStore store) {
            return Defect.replaceMethod(
                RetainStore.class,
                store,
                "put",
                (call, arguments) ->
                    CompletableFuture.completedFuture(RetainStore.PutOutcome.values()[0]));
          }
        };
    assertDetected(forgetful, "retained messages are found");
  }

  @Test
  void shouldDetectAnInboxThatIsNotDetached() {
    assertDetected(
        inboxStoreDefect("detach", (call, arguments) -> CompletableFuture.completedFuture(null)),
        "session present is true",
        "persistent sessions");
  }

  @Test
  void shouldDetectASessionThatOutlivesItsExpiry() {
    assertDetected(
        inboxStoreDefect(
            "detach",
            (call, arguments) -> {
              boolean ends = Long.valueOf(0).equals(arguments[2]);
              return call.invoke(ends ? arguments : with(arguments, 2, 1_000_000L));
            }),
        "session present is true");
  }

  @Test
  void shouldDetectASessionThatEndsTooEarly() {
    assertDetected(
        inboxStoreDefect("detach", (call, arguments) -> call.invoke(with(arguments, 2, 0L))),
        "session present is false");
  }

  @Test
  void shouldDetectAWillThatIsNotPublished() {
    assertDetected(willDefect((call, arguments) -> null), "not published: will");
  }

  @Test
  void shouldDetectAWillOfATransientSessionThatIsNotPublished() {
    assertDetected(
        inboxStoreDefect(
            "attach",
            (call, arguments) -> {
              AttachRequest request = (AttachRequest) Objects.requireNonNull(arguments[1]);
              return call.invoke(
                  request.expirySeconds() == 0
                      ? with(arguments, 1, withoutWill(request))
                      : arguments);
            }),
        "of a transient session");
  }

  private static AttachRequest withoutWill(AttachRequest request) {
    return new AttachRequest(
        request.cleanStart(),
        request.ownerNode(),
        request.ownerIncarnation(),
        request.expirySeconds(),
        null,
        request.limits(),
        null);
  }

  @Test
  void shouldDetectAWillThatIsPublishedAfterADisconnect() {
    assertDetected(
        inboxStoreDefect("detach", (call, arguments) -> call.invoke(with(arguments, 3, true))),
        "published unexpectedly");
  }

  @Test
  void shouldDetectAWillThatIsPublishedTwice() {
    assertDetected(
        willDefect(
            (call, arguments) -> {
              call.invoke(arguments);
              PublishId first = (PublishId) Objects.requireNonNull(arguments[5]);
              PublishId other = new PublishId(first.producer() + 1, 1, 1);
              return call.invoke(with(with(arguments, 5, other), 2, -1L));
            }),
        "as new 2 times");
  }

  @Test
  void shouldDetectAMessageDeliveredToTwoMembersOfAShare() {
    assertDetected(
        matchDefect(
            found -> {
              List<ShareMatch> duplicatedShares = new ArrayList<>(found.shares());
              duplicatedShares.addAll(found.shares());
              return new MatchedRoutes(found.nodes(), found.inboxes(), duplicatedShares);
            }),
        "members of $share/g/s/# got",
        "as new 2 times");
  }

  @Test
  void shouldDetectAMessageNotRedistributedWhenAShareMemberLeaves() {
    assertDetected(
        publishRouterDefect("redistribute", (call, arguments) -> null),
        LIKELY_SHARE_SEED,
        "every member of $share/g/s/# misses");
  }

  @Test
  void shouldDetectALostLiveMessage() {
    int[] matches = new int[1];
    assertDetected(
        matchDefect(
            found ->
                ++matches[0] % 20 == 0
                    ? new MatchedRoutes(List.of(), found.inboxes(), found.shares())
                    : found),
        "but not",
        "misses",
        "after number"); // delivered only when its publisher sent it again, after later messages
  }

  @Test
  void shouldDetectAnOutdatedRetainedMessage() {
    Defect forgetful =
        new Defect() {
          @Override
          public RetainStore wrapRetainStore(RetainStore store) {
            Map<String, Object> pages = new HashMap<>();
            return Defect.replaceMethod(
                RetainStore.class,
                store,
                "match",
                (call, arguments) ->
                    arguments[2] != null
                        ? call.invoke(arguments)
                        : pages.computeIfAbsent(
                            String.valueOf(arguments[1]),
                            filter -> Objects.requireNonNull(call.invoke(arguments))));
          }
        };
    assertDetected(forgetful, "retained, after the acknowledgement of");
  }

  private static @Nullable Object[] with(
      @Nullable Object[] arguments, int position, @Nullable Object other) {
    @Nullable Object[] changed = arguments.clone();
    changed[position] = other;
    return changed;
  }

  private static Defect willDefect(Defect.Replacement instead) {
    return new Defect() {
      @Override
      public InboxListener wrapInboxListener(InboxListener events) {
        return Defect.replaceMethod(InboxListener.class, events, "onWillDue", instead);
      }
    };
  }

  private static Defect publishRouterDefect(String method, Defect.Replacement instead) {
    return new Defect() {
      @Override
      public PublishRouter wrapPublishRouter(PublishRouter publishRouter) {
        return Defect.replaceMethod(PublishRouter.class, publishRouter, method, instead);
      }
    };
  }

  private static Defect matchDefect(UnaryOperator<MatchedRoutes> change) {
    return new Defect() {
      @Override
      public RouteStore wrapRouteStore(RouteStore router) {
        return Defect.replaceMethod(
            RouteStore.class,
            router,
            "match",
            (call, arguments) ->
                change.apply((MatchedRoutes) Objects.requireNonNull(call.invoke(arguments))));
      }
    };
  }

  private static Defect attachDefect(UnaryOperator<Attachment> change) {
    return inboxStoreDefect(
        "attach",
        (call, arguments) ->
            ((CompletableFuture<?>) Objects.requireNonNull(call.invoke(arguments)))
                .thenApply(real -> change.apply((Attachment) real)));
  }

  private static Defect inboxStoreDefect(String method, Defect.Replacement instead) {
    return new Defect() {
      @Override
      public InboxStore wrapInboxStore(InboxStore store) {
        return Defect.replaceMethod(InboxStore.class, store, method, instead);
      }
    };
  }

  /**
   * @param complaints a run that detects the defect reports one of them first
   */
  private void assertDetected(Defect defect, String... complaints) {
    assertDetected(defect, 1, complaints);
  }

  /**
   * @param likely a seed known to detect a defect that few seeds detect
   * @param complaints a run that detects the defect reports one of them first
   */
  private void assertDetected(Defect defect, int likely, String... complaints) {
    AssertionError found =
        Seeds.find(
            String.join(" or ", complaints),
            likely,
            MAX_SEEDS,
            seed -> new BrokerSimulation(seed, directory.resolve("s" + seed), defect, false).run());
    assertThat(complaints)
        .as(found.getMessage())
        .anySatisfy(complaint -> assertThat(found).hasMessageContaining(complaint));
  }
}
