package io.fjordmq.broker.bans;

import static io.fjordmq.broker.bans.TestBans.ANN;
import static io.fjordmq.broker.bans.TestBans.caller;
import static io.fjordmq.broker.bans.TestBans.draft;
import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BansTest {
  private static final Caller BOUND = caller("bob", "t");

  private final TestRecords test = new TestRecords();
  private final Bans here = TestBans.open(test);
  private final Bans there = TestBans.open(test);

  @AfterEach
  void close() {
    test.close();
  }

  private Ban add(BanKind kind, String value) {
    return get(here.add(ANN, draft(kind, value, null)));
  }

  private static Ban.Target target(BanKind kind, String value) {
    return new Ban.Target(kind, value, null);
  }

  @Test
  void shouldReplicateBans() {
    Ban ban = add(BanKind.CLIENTID, "c");
    assertThat(ban).isEqualTo(new Ban(BanKind.CLIENTID, "c", null, "ann", "", test.now(), null));
    assertThat(there.list(ANN)).containsExactly(ban);
    assertThat(there.list().find("c", null)).isEqualTo(ban);
    fails(there.add(ANN, draft(BanKind.CLIENTID, "c", null)), Kind.EXISTS);
    get(there.remove(ANN, target(BanKind.CLIENTID, "c")));
    assertThat(here.list(ANN)).isEmpty();
    assertThat(here.list().find("c", null)).isNull();
    fails(there.remove(ANN, target(BanKind.CLIENTID, "c")), Kind.NOT_FOUND);
  }

  @Test
  void shouldReadBansThatExistBeforeItStarts() {
    add(BanKind.USERNAME, "u");
    assertThat(TestBans.open(test).list(ANN)).hasSize(1);
  }

  @Test
  void shouldTreatNotationsOfAnAddressAsTheSame() {
    assertThat(add(BanKind.PEERHOST, "2001:DB8:0:0:0:0:0:7").value()).isEqualTo("2001:db8::7");
    assertThat(add(BanKind.PEERHOST_NET, "10.1.2.3/8").value()).isEqualTo("10.0.0.0/8");
    fails(here.add(ANN, draft(BanKind.PEERHOST_NET, "10.0.0.0/8", null)), Kind.EXISTS);
    get(here.remove(ANN, target(BanKind.PEERHOST, "2001:db8::0:7")));
    get(here.remove(ANN, target(BanKind.PEERHOST_NET, "10.255.0.0/8")));
    assertThat(here.list(ANN)).isEmpty();
  }

  @Test
  void shouldRefuseInvalidBans() {
    assertThat(fails(here.add(ANN, draft(BanKind.PEERHOST, "host", null)), Kind.INVALID))
        .startsWith("who must be an IP address");
    assertThat(fails(here.add(ANN, draft(BanKind.PEERHOST_NET, "10.0.0.0", null)), Kind.INVALID))
        .startsWith("who must be a network");
    fails(here.add(ANN, draft(BanKind.CLIENTID, "", null)), Kind.INVALID);
    fails(here.add(ANN, draft(BanKind.CLIENTID, "é".repeat(513), null)), Kind.INVALID);
    assertThat(fails(here.add(ANN, draft(BanKind.CLIENTID, "c", test.now())), Kind.INVALID))
        .startsWith("until must be later than now");
    assertThat(fails(here.remove(ANN, target(BanKind.PEERHOST, "host")), Kind.NOT_FOUND))
        .startsWith("the ban does not exist: who must be an IP address");
  }

  @Test
  void shouldConfineCallersToTheirTenant() {
    add(BanKind.CLIENTID, "c");
    Ban own = get(here.add(BOUND, draft(BanKind.CLIENTID, "c", null)));
    assertThat(own.tenant()).isEqualTo("t");
    assertThat(here.list(BOUND)).containsExactly(own);
    assertThat(here.list(ANN)).hasSize(2);
    Ban.Draft other = new Ban.Draft(BanKind.CLIENTID, "c", "other", null, "", null, null);
    fails(here.add(BOUND, other), Kind.INVALID);
    get(here.add(ANN, other));
    fails(here.remove(BOUND, new Ban.Target(BanKind.CLIENTID, "c", "other")), Kind.INVALID);
    get(here.removeAll(BOUND));
    assertThat(here.list(ANN)).extracting(Ban::tenant).containsExactly(null, "other");
    get(here.remove(ANN, new Ban.Target(BanKind.CLIENTID, "c", "other")));
    get(here.removeAll(ANN));
    assertThat(there.list(ANN)).isEmpty();
  }

  @Test
  void shouldReplaceAndRemoveExpiredBans() {
    get(here.add(ANN, draft(BanKind.CLIENTID, "c", test.now().plusSeconds(10))));
    get(here.add(ANN, draft(BanKind.CLIENTID, "d", test.now().plusSeconds(10))));
    add(BanKind.CLIENTID, "e");
    test.advance(Duration.ofSeconds(10));
    assertThat(here.list(ANN)).extracting(Ban::value).containsExactly("e");
    fails(here.remove(ANN, target(BanKind.CLIENTID, "c")), Kind.NOT_FOUND);
    add(BanKind.CLIENTID, "c");
    assertThat(test.metadata.view().withPrefix("ban/")).hasSize(3);
    here.removeExpired();
    get(test.metadata.readView());
    assertThat(test.metadata.view().withPrefix("ban/")).hasSize(2);
    assertThat(here.list(ANN)).extracting(Ban::value).containsExactly("c", "e");
  }

  @Test
  void shouldLimitTheNumberOfBans() {
    List<Change> batch = new ArrayList<>();
    for (int i = 0; i < BanRules.MAX_BANS; i++) {
      Ban ban = TestBanList.ban(BanKind.CLIENTID, "c" + i);
      batch.add(Change.put(StoredBan.key(ban), StoredBan.encode(ban)));
    }
    get(test.metadata.write(batch));
    assertThat(fails(here.add(ANN, draft(BanKind.CLIENTID, "one more", null)), Kind.FULL))
        .contains("2000 bans");
    get(here.removeAll(ANN));
    assertThat(test.metadata.view().withPrefix("ban/")).isEmpty();
    add(BanKind.CLIENTID, "one more");
  }

  @Test
  void shouldIgnoreABanThatItCannotRead() {
    add(BanKind.CLIENTID, "c");
    get(test.metadata.write(List.of(Change.put("ban/00", new byte[] {2}))));
    Ban address = TestBanList.ban(BanKind.PEERHOST, "no address");
    get(test.metadata.write(List.of(Change.put("ban/01", StoredBan.encode(address)))));
    assertThat(here.list(ANN)).extracting(Ban::value).containsExactly("c");
    here.removeExpired();
    add(BanKind.CLIENTID, "d");
    assertThat(here.list(ANN)).hasSize(2);
  }

  @Test
  void shouldReportThatTheMetadataIsNotAvailable() {
    test.writer =
        batch ->
            CompletableFuture.failedFuture(
                new ConsensusException(ConsensusException.Kind.CLOSED, "leader gone"));
    fails(here.add(ANN, draft(BanKind.CLIENTID, "c", null)), Kind.UNAVAILABLE);
  }

  @Test
  void shouldBoundTimes() {
    Ban.Draft early =
        new Ban.Draft(
            BanKind.CLIENTID, "c", null, "x", "r", test.now().plusSeconds(5), Instant.MAX);
    Ban ban = get(here.add(ANN, early));
    assertThat(ban.at()).isEqualTo(test.now());
    assertThat(ban.until()).isEqualTo(Instant.parse("9999-12-31T23:59:59Z"));
    assertThat(ban.by()).isEqualTo("x");
  }

  @Test
  void shouldSearchForBannedClientsWhenABanIsAdded() throws InterruptedException {
    CountDownLatch disconnected = new CountDownLatch(1_001);
    DisconnectSearch clients =
        users -> {
          assertThat(users).as("all clients").isNull();
          Iterator<Runnable> actions =
              Stream.<Runnable>generate(() -> disconnected::countDown).limit(1_001).iterator();
          assertThat(Thread.currentThread().getName()).isEqualTo("bans");
          return actions;
        };
    DisconnectSweep enforcement = there.enforceOn(clients);
    add(BanKind.CLIENTID, "c");
    assertThat(disconnected.await(60, TimeUnit.SECONDS)).isTrue();
    enforcement.close();
    add(BanKind.CLIENTID, "d"); // must not fail after the end of enforcement
  }

  @Test
  void shouldSearchOnlyClientsOfChangedUsers() throws InterruptedException {
    BlockingQueue<Optional<Set<String>>> searched = new LinkedBlockingQueue<>();
    DisconnectSweep sweep =
        there.enforceOn(
            users -> {
              searched.add(Optional.ofNullable(users));
              return Stream.<Runnable>empty().iterator();
            });
    sweep.requestOf(Set.of("ann"));
    assertThat(searched.poll(60, TimeUnit.SECONDS)).contains(Set.of("ann"));
    Set<String> many = new HashSet<>();
    for (int i = 0; i < 1_001; i++) {
      many.add("user-" + i);
    }
    sweep.requestOf(many);
    assertThat(searched.poll(60, TimeUnit.SECONDS)).as("all clients").isEmpty();
    sweep.close();
  }

  @Test
  void shouldSearchAgainAfterASearchHasFailed() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(1);
    CountDownLatch searched = new CountDownLatch(1);
    there.enforceOn(
        users -> {
          if (failed.getCount() > 0) {
            failed.countDown();
            throw new IllegalStateException("planted");
          }
          searched.countDown();
          return Stream.<Runnable>empty().iterator();
        });
    add(BanKind.CLIENTID, "c");
    assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
    add(BanKind.CLIENTID, "d");
    assertThat(searched.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void shouldSearchAllClientsAfterASearchHasFailed() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(1);
    BlockingQueue<Optional<Set<String>>> searched = new LinkedBlockingQueue<>();
    DisconnectSweep sweep =
        there.enforceOn(
            users -> {
              if (failed.getCount() > 0) {
                failed.countDown();
                throw new IllegalStateException("planted");
              }
              searched.add(Optional.ofNullable(users));
              return Stream.<Runnable>empty().iterator();
            });
    sweep.requestOf(Set.of("ann"));
    assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
    sweep.requestOf(Set.of("bob"));
    assertThat(searched.poll(60, TimeUnit.SECONDS)).as("all clients").isEmpty();
  }

  @Test
  void shouldNotFailTheMetadataWhileTheNodeStops() {
    ScheduledExecutorService stopped = Executors.newSingleThreadScheduledExecutor();
    stopped.shutdownNow();
    AtomicBoolean searched = new AtomicBoolean();
    new DisconnectSweep(
            stopped,
            users -> {
              searched.set(true);
              return Stream.<Runnable>empty().iterator();
            })
        .request();
    assertThat(searched).isFalse();
  }
}
