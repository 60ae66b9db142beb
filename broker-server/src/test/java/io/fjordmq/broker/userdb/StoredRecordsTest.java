package io.fjordmq.broker.userdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.broker.security.ScramMechanism;
import io.fjordmq.broker.security.ScramVerifier;
import io.fjordmq.broker.security.UserCredentials;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The bytes of users and rules in the metadata. */
class StoredRecordsTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final String USER =
      "01" // version
          + "03616e6e" // ann
          + "0174" // tenant t
          + "07" // enabled, superuser, password
          + "14"
          + "2436246332467364413d3d246147467a61413d3d" // $6$c2FsdA==$aGFzaA==
          + "01" // one verifier
          + "01" // SHA-256
          + "8020" // 4096 iterations
          + "0107" // salt
          + "20"
          + "01".repeat(32) // stored key
          + "20"
          + "02".repeat(32) // server key
          + "02" // two groups
          + "0167"
          + "0168"
          + "02" // two attributes
          + "01610131"
          + "01620132"
          + "e807" // created at 1,000
          + "0102030405060708"; // epoch
  private static final String PLAIN_USER =
      "01" + "0162" + "00" + "00" + "00" + "00" + "00" + "e807" + "ffffffffffffffff";
  private static final String RULES =
      "01" // version
          + "02" // user
          + "0174" // tenant t
          + "03616e6e" // ann
          + "03" // three rules
          + "0102" // allow, write
          + "03612f62" // a/b
          + "0801" // deny QoS 2, read
          + "0123" // #
          + "2703" // allow QoS 0 and 1, not retained, both
          + "0163"; // c

  private static StoredClientUser user() {
    byte[] one = new byte[32];
    byte[] two = new byte[32];
    Arrays.fill(one, (byte) 1);
    Arrays.fill(two, (byte) 2);
    return new StoredClientUser(
        new ClientUser(
            "ann",
            "t",
            true,
            true,
            List.of("g", "h"),
            Map.of("b", "2", "a", "1"),
            Instant.ofEpochMilli(1_000)),
        new UserCredentials(
            PasswordHash.parse("$6$c2FsdA==$aGFzaA=="),
            List.of(new ScramVerifier(ScramMechanism.SHA_256, 4_096, new byte[] {7}, one, two))),
        0x0102030405060708L);
  }

  private static RuleSet rules() {
    return new RuleSet(
        new RuleOwner(RuleOwner.Kind.USER, "t", "ann"),
        List.of(
            new TopicRule(true, Access.WRITE, "a/b", Set.of(), null),
            new TopicRule(false, Access.READ, "#", Set.of(Qos.EXACTLY_ONCE), null),
            new TopicRule(
                true, Access.READ_WRITE, "c", Set.of(Qos.AT_MOST_ONCE, Qos.AT_LEAST_ONCE), false)));
  }

  @Test
  void shouldWriteTheDocumentedBytesOfUsers() {
    assertThat(HEX.formatHex(user().encode())).isEqualTo(USER);
    StoredClientUser decoded = StoredClientUser.decode(HEX.parseHex(USER));
    assertThat(decoded.user()).isEqualTo(user().user());
    assertThat(decoded.epoch()).isEqualTo(user().epoch());
    assertThat(HEX.formatHex(decoded.encode())).isEqualTo(USER);
    StoredClientUser plain = StoredClientUser.decode(HEX.parseHex(PLAIN_USER));
    assertThat(plain.credentials().password()).isNull();
    assertThat(HEX.formatHex(plain.encode())).isEqualTo(PLAIN_USER);
    assertThat(StoredClientUser.key("a/é")).isEqualTo("mqtt-user/612fc3a9");
    assertThat(StoredClientUser.name("mqtt-user/612fc3a9")).isEqualTo("a/é");
  }

  @Test
  void shouldWriteTheDocumentedBytesOfRules() {
    assertThat(HEX.formatHex(StoredRules.encode(rules()))).isEqualTo(RULES);
    assertThat(StoredRules.decode(HEX.parseHex(RULES))).isEqualTo(rules());
    assertThat(rules().owner().key()).isEqualTo("mqtt-rules/u/74/616e6e");
    assertThat(RuleOwner.all("").key()).isEqualTo("mqtt-rules/a//");
    assertThat(new RuleOwner(RuleOwner.Kind.CLIENT, "t", "c".repeat(120)).key()).isNull();
  }

  @Test
  void shouldWriteTheDocumentedBytesOfTheSecret() {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) 5);
    assertThat(HEX.formatHex(DecoySecret.encode(secret))).isEqualTo("01" + "05".repeat(32));
    assertThat(DecoySecret.decode(DecoySecret.encode(secret))).isEqualTo(secret);
    assertThatThrownBy(() -> DecoySecret.decode(HEX.parseHex("02" + "05".repeat(32))))
        .isInstanceOf(NewerFormatException.class);
  }

  @Test
  void shouldReportNewerVersionsAndUnknownKinds() {
    assertThatThrownBy(() -> StoredClientUser.decode(HEX.parseHex("02" + USER.substring(2))))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("MQTT user");
    assertThatThrownBy(() -> StoredRules.decode(HEX.parseHex("02" + RULES.substring(2))))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> StoredRules.decode(HEX.parseHex("0105" + RULES.substring(4))))
        .isInstanceOf(NewerFormatException.class);
    String unknownMechanism = USER.replace("01" + "01" + "8020", "01" + "03" + "8020");
    assertThatThrownBy(() -> StoredClientUser.decode(HEX.parseHex(unknownMechanism)))
        .isInstanceOf(NewerFormatException.class);
  }

  @Test
  void shouldRejectDamagedBytesWithoutOtherExceptions() {
    expectOnlyMalformed(HEX.parseHex(USER), StoredClientUser::decode);
    expectOnlyMalformed(HEX.parseHex(RULES), StoredRules::decode);
  }

  private static void expectOnlyMalformed(byte[] valid, Consumer<byte[]> decode) {
    Random random = new Random(1);
    int rejected = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = Arrays.copyOf(valid, random.nextInt(valid.length + 1));
      if (damaged.length > 0) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        decode.accept(damaged);
      } catch (MalformedBytesException e) {
        rejected++;
      }
    }
    assertThat(rejected).isGreaterThan(10_000);
  }

  @Test
  void shouldNotShowHashes() {
    assertThat(user().toString() + user().credentials() + user().credentials().scram())
        .doesNotContain("c2FsdA", "aGFzaA");
  }
}
