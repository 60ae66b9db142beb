package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.broker.dispatch.ShareStrategy;
import io.fjordmq.broker.dispatch.ShareStrategy.Candidate;
import io.fjordmq.broker.dispatch.ShareStrategy.Rotation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Goal: each strategy chooses members as documented, also when members join and leave. */
class ShareStrategyTest {
  private static final Message ANY = Messages.message("t", AT_MOST_ONCE, "m");
  private final Rotation rotation = new Rotation();

  @Test
  void shouldRotateAmongMembersWithRoundRobin() {
    List<Candidate> abc = candidates("a", "b", "c");
    assertThat(pickRepeatedly(ShareStrategy.ROUND_ROBIN, abc, 6))
        .containsExactly("a", "b", "c", "a", "b", "c");
  }

  @Test
  void shouldReachEveryMemberWithRandom() {
    assertThat(new TreeSet<>(pickRepeatedly(ShareStrategy.RANDOM, candidates("a", "b", "c"), 500)))
        .containsExactly("a", "b", "c");
  }

  @Test
  void shouldStayWithOneMemberUntilItIsGoneWithSticky() {
    List<String> picks = pickRepeatedly(ShareStrategy.STICKY, candidates("a", "b", "c"), 5);
    assertThat(Set.copyOf(picks)).hasSize(1);
    List<String> rest = new ArrayList<>(List.of("a", "b", "c"));
    rest.remove(picks.get(0));

    List<String> after =
        pickRepeatedly(ShareStrategy.STICKY, candidates(rest.toArray(String[]::new)), 5);

    assertThat(Set.copyOf(after)).hasSize(1).isSubsetOf(rest);
  }

  @Test
  void shouldKeepAPublisherWithOneMemberWithHashByClient() {
    List<Candidate> abc = candidates("a", "b", "c");
    Map<String, String> chosen = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      String publisher = "p" + i % 100;
      String member = pick(ShareStrategy.HASH_BY_CLIENT, abc, messageFrom(publisher));
      assertThat(chosen.computeIfAbsent(publisher, p -> member)).isEqualTo(member);
    }
    assertThat(Set.copyOf(chosen.values())).hasSize(3);
  }

  @Test
  void shouldMoveOnlyTopicsOfTheLeavingMemberWithHashByTopic() {
    List<Candidate> abc = candidates("a", "b", "c");
    List<Candidate> ab = candidates("a", "b");
    for (int i = 0; i < 200; i++) {
      Message message = Messages.message("topic/" + i, AT_MOST_ONCE, "m");
      String before = pick(ShareStrategy.HASH_BY_TOPIC, abc, message);
      String after = pick(ShareStrategy.HASH_BY_TOPIC, ab, message);
      assertThat(before.equals("c") || before.equals(after)).isTrue();
    }
  }

  @Test
  void shouldPreferThisNodeWithLocalFirst() {
    List<Candidate> mixed =
        List.of(candidate("far", false), candidate("near1", true), candidate("near2", true));
    assertThat(pickRepeatedly(ShareStrategy.LOCAL_FIRST, mixed, 4))
        .containsExactly("near1", "near2", "near1", "near2");
    assertThat(pickRepeatedly(ShareStrategy.LOCAL_FIRST, List.of(candidate("far", false)), 1))
        .containsExactly("far");
  }

  private List<String> pickRepeatedly(
      ShareStrategy strategy, List<Candidate> candidates, int times) {
    List<String> picked = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      picked.add(pick(strategy, candidates, ANY));
    }
    return picked;
  }

  private String pick(ShareStrategy strategy, List<Candidate> candidates, Message message) {
    return candidates.get(strategy.pick(candidates, message, rotation)).clientId();
  }

  private static List<Candidate> candidates(String... clientIds) {
    List<Candidate> candidates = new ArrayList<>();
    for (String clientId : clientIds) {
      candidates.add(candidate(clientId, true));
    }
    return candidates;
  }

  private record Member(String clientId, boolean isLocal) implements Candidate {}

  private static Candidate candidate(String clientId, boolean isLocal) {
    return new Member(clientId, isLocal);
  }

  private static Message messageFrom(String publisher) {
    return new Message(
        ANY.topic(),
        ANY.payload(),
        ANY.qos(),
        ANY.retain(),
        ANY.properties(),
        publisher,
        ANY.acceptedAtMillis(),
        ANY.expiresAtMillis());
  }
}
