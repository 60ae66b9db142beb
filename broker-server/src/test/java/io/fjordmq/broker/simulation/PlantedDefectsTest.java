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

  @TempDir Path directory;

  @Test
  void shouldDetectAnAcknowledgementBeforeTheMessageIsStored() {
    Defect.Replacement stored =
        (call, arguments) -> {
          call.make(arguments);
          int copies = ((List<?>) Objects.requireNonNull(arguments[1])).size();
          return CompletableFuture.completedFuture(
              Collections.nCopies(copies, InsertOutcome.STORED));
        };
    assertFound(inboxes("insert", stored), "misses");
  }

  @Test
  void shouldDetectASubackBeforeTheRouteIsAdded() {
    Defect early =
        new Defect() {
          @Override
          public RouteStore router(RouteStore router) {
            return Defect.changed(RouteStore.class, router, "add", Defect.answeredWith(null));
          }
        };
    assertFound(early, "misses");
  }

  @Test
  void shouldDetectALostPush() {
    Defect lossy =
        new Defect() {
          private int pushes;

          @Override
          public InboxListener listener(InboxListener events) {
            return Defect.changed(
                InboxListener.class,
                events,
                "onAppended",
                (call, arguments) -> ++pushes % 3 == 0 ? null : call.make(arguments));
          }
        };
    // A will's push may be the first that nobody gets.
    assertFound(lossy, "misses", "wills have the");
  }

  @Test
  void shouldDetectAMissingRefetchAfterALeaderChange() {
    Defect withoutRefetch =
        new Defect() {
          @Override
          public InboxListener listener(InboxListener events) {
            return Defect.changed(
                InboxListener.class, events, "onLeaderStart", (call, arguments) -> null);
          }
        };
    assertFound(withoutRefetch, "misses");
  }

  @Test
  void shouldDetectARepeatedQos2PublishThatIsStoredAgain() {
    assertFound(
        inboxes(
            "insert",
            (call, arguments) -> {
              @Nullable Object[] anonymous = arguments.clone();
              anonymous[2] = null; // the publish id
              return call.make(anonymous);
            }),
        "as new 2 times");
  }

  @Test
  void shouldDetectAReceivedIdentifierThatIsNotDurable() {
    assertFound(
        inboxes("recordReceived", (call, arguments) -> CompletableFuture.completedFuture(null)),
        "misses",
        "as new 2 times");
  }

  @Test
  void shouldDetectAForgottenPubrec() {
    assertFound(
        inboxes("release", (call, arguments) -> CompletableFuture.completedFuture(null)),
        "as new 2 times");
  }

  @Test
  void shouldDetectAResentMessageWithoutDup() {
    assertFound(
        attachments(
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
          public RetainStore retained(RetainStore store) {
            return Defect.changed(
                RetainStore.class,
                store,
                "put",
                (call, arguments) ->
                    CompletableFuture.completedFuture(RetainStore.PutOutcome.values()[0]));
          }
        };
    assertFound(forgetful, "retained messages are found");
  }

  @Test
  void shouldDetectAnInboxThatIsNotDetached() {
    assertFound(
        inboxes("detach", (call, arguments) -> CompletableFuture.completedFuture(null)),
        "session present is true",
        "persistent sessions");
  }

  @Test
  void shouldDetectASessionThatOutlivesItsExpiry() {
    assertFound(
        inboxes(
            "detach",
            (call, arguments) -> {
              boolean ends = Long.valueOf(0).equals(arguments[2]);
              return call.make(ends ? arguments : with(arguments, 2, 1_000_000L));
            }),
        "session present is true");
  }

  @Test
  void shouldDetectASessionThatEndsTooEarly() {
    assertFound(
        inboxes("detach", (call, arguments) -> call.make(with(arguments, 2, 0L))),
        "session present is false");
  }

  @Test
  void shouldDetectAWillThatIsNotPublished() {
    assertFound(wills((call, arguments) -> null), "not published: will");
  }

  @Test
  void shouldDetectAWillOfATransientSessionThatIsNotPublished() {
    assertFound(
        inboxes(
            "attach",
            (call, arguments) -> {
              AttachRequest request = (AttachRequest) Objects.requireNonNull(arguments[1]);
              return call.make(
                  request.expirySeconds() == 0
                      ? with(arguments, 1, withoutWill(request))
                      : arguments);
            }),
        "of a passing session");
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
    assertFound(
        inboxes("detach", (call, arguments) -> call.make(with(arguments, 3, true))),
        "published unexpectedly");
  }

  @Test
  void shouldDetectAWillThatIsPublishedTwice() {
    assertFound(
        wills(
            (call, arguments) -> {
              call.make(arguments);
              PublishId first = (PublishId) Objects.requireNonNull(arguments[5]);
              PublishId other = new PublishId(first.producer() + 1, 1, 1);
              return call.make(with(with(arguments, 5, other), 2, -1L));
            }),
        "as new 2 times");
  }

  @Test
  void shouldDetectAMessageDeliveredToTwoMembersOfAShare() {
    assertFound(
        matches(
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
    assertFound(
        publisher("redistribute", (call, arguments) -> null),
        "every member of $share/g/s/# misses");
  }

  @Test
  void shouldDetectALostLiveMessage() {
    int[] matches = new int[1];
    assertFound(
        matches(
            found ->
                ++matches[0] % 20 == 0
                    ? new MatchedRoutes(List.of(), found.inboxes(), found.shares())
                    : found),
        "but not",
        "misses");
  }

  @Test
  void shouldDetectAnOutdatedRetainedMessage() {
    Defect forgetful =
        new Defect() {
          @Override
          public RetainStore retained(RetainStore store) {
            Map<String, Object> pages = new HashMap<>();
            return Defect.changed(
                RetainStore.class,
                store,
                "match",
                (call, arguments) ->
                    arguments[2] != null
                        ? call.make(arguments)
                        : pages.computeIfAbsent(
                            String.valueOf(arguments[1]),
                            filter -> Objects.requireNonNull(call.make(arguments))));
          }
        };
    assertFound(forgetful, "retained, after the acknowledgement of");
  }

  private static @Nullable Object[] with(
      @Nullable Object[] arguments, int position, @Nullable Object other) {
    @Nullable Object[] changed = arguments.clone();
    changed[position] = other;
    return changed;
  }

  private static Defect wills(Defect.Replacement instead) {
    return new Defect() {
      @Override
      public InboxListener listener(InboxListener events) {
        return Defect.changed(InboxListener.class, events, "onWillDue", instead);
      }
    };
  }

  private static Defect publisher(String method, Defect.Replacement instead) {
    return new Defect() {
      @Override
      public PublishRouter publisher(PublishRouter publishRouter) {
        return Defect.changed(PublishRouter.class, publishRouter, method, instead);
      }
    };
  }

  private static Defect matches(UnaryOperator<MatchedRoutes> change) {
    return new Defect() {
      @Override
      public RouteStore router(RouteStore router) {
        return Defect.changed(
            RouteStore.class,
            router,
            "match",
            (call, arguments) ->
                change.apply((MatchedRoutes) Objects.requireNonNull(call.make(arguments))));
      }
    };
  }

  private static Defect attachments(UnaryOperator<Attachment> change) {
    return inboxes(
        "attach",
        (call, arguments) ->
            ((CompletableFuture<?>) Objects.requireNonNull(call.make(arguments)))
                .thenApply(real -> change.apply((Attachment) real)));
  }

  private static Defect inboxes(String method, Defect.Replacement instead) {
    return new Defect() {
      @Override
      public InboxStore inboxes(InboxStore store) {
        return Defect.changed(InboxStore.class, store, method, instead);
      }
    };
  }

  /**
   * @param complaints a run that detects the defect reports one of them first
   */
  private void assertFound(Defect defect, String... complaints) {
    AssertionError found =
        Seeds.find(
            String.join(" or ", complaints),
            MAX_SEEDS,
            seed -> new BrokerSimulation(seed, directory.resolve("s" + seed), defect, false).run());
    assertThat(complaints)
        .as(found.getMessage())
        .anySatisfy(complaint -> assertThat(found).hasMessageContaining(complaint));
  }
}
