package io.fjordmq.broker.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The bytes of accounts in the metadata, and of tokens. */
class StoredAccountsTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final Instant CREATED = Instant.ofEpochMilli(1_000);
  private static final String HASH = "2436246332467364413d3d246147467a61413d3d";
  private static final String USER =
      "01" // version
          + "03616e6e" // ann
          + "03" // administrator
          + "00" // all tenants
          + "036f6e65" // one
          + "e807" // created at 1,000
          + "14" // length of the hash
          + HASH
          + "0102030405060708"; // token epoch
  private static final String BOUND_USER =
      "01" + "0162" + "01" + "010174" + "00" + "e807" + "14" + HASH + "ffffffffffffffff";
  private static final String API_KEY =
      "01" // version
          + "0173" // s
          + "02"
          + "6964" // id
          + "00".repeat(32) // hash of the secret
          + "02" // operator
          + "010174" // tenant t
          + "00" // no description
          + "03" // enabled, expires
          + "e807" // created at 1,000
          + "d00f"; // expires at 2,000
  private static final String OTHER_API_KEY =
      "01" + "0173" + "026964" + "00".repeat(32) + "01" + "00" + "0164" + "00" + "e807";
  private static final String TOKEN_KEY = "01" + "07".repeat(32);
  private static final String TOKEN =
      "AQNhbm7oB9APAQIDBAUGBwg7Lcr2t-5_OJx_3NR7DHt9M7B7DAVI71oSiM3bGS2fOA";

  private static byte[] bytes(String hex) {
    return HEX.parseHex(hex);
  }

  private static PasswordHash hash() {
    return PasswordHash.parse("$6$c2FsdA==$aGFzaA==");
  }

  @Test
  void shouldKeepTheBytesOfUsers() {
    StoredUser user =
        new StoredUser(
            new User("ann", Role.ADMINISTRATOR, null, "one", CREATED), hash(), 0x0102030405060708L);
    assertThat(HEX.formatHex(user.encode())).isEqualTo(USER);
    StoredUser bound = new StoredUser(new User("b", Role.VIEWER, "t", "", CREATED), hash(), -1);
    assertThat(HEX.formatHex(bound.encode())).isEqualTo(BOUND_USER);
    for (StoredUser each : List.of(user, bound)) {
      StoredUser decoded = StoredUser.decode(each.encode());
      assertThat(decoded.user()).isEqualTo(each.user());
      assertThat(decoded.tokenEpoch()).isEqualTo(each.tokenEpoch());
      assertThat(decoded.password().text()).isEqualTo(each.password().text());
    }
    assertThat(StoredUser.key("ann@b")).isEqualTo("user/616e6e4062");
  }

  @Test
  void shouldKeepTheBytesOfApiKeys() {
    StoredApiKey key =
        new StoredApiKey(
            new ApiKey(
                "s", "id", Role.OPERATOR, "t", "", true, Instant.ofEpochMilli(2_000), CREATED),
            new byte[32]);
    assertThat(HEX.formatHex(key.encode())).isEqualTo(API_KEY);
    StoredApiKey other =
        new StoredApiKey(
            new ApiKey("s", "id", Role.VIEWER, null, "d", false, null, CREATED), new byte[32]);
    assertThat(HEX.formatHex(other.encode())).isEqualTo(OTHER_API_KEY);
    for (StoredApiKey each : List.of(key, other)) {
      StoredApiKey decoded = StoredApiKey.decode(each.encode());
      assertThat(decoded.key()).isEqualTo(each.key());
      assertThat(decoded.secretHash()).isEqualTo(each.secretHash());
    }
    assertThat(StoredApiKey.key("s")).isEqualTo("api-key/73");
  }

  @Test
  void shouldKeepTheBytesOfTheTokenKeyAndOfTokens() {
    TokenKey key = TokenKey.decode(bytes(TOKEN_KEY));
    assertThat(HEX.formatHex(key.encode())).isEqualTo(TOKEN_KEY);
    Token token = new Token("ann", CREATED, Instant.ofEpochMilli(2_000), 0x0102030405060708L);
    String text = token.sign(key);
    assertThat(text).isEqualTo(TOKEN);
    assertThat(Token.verify(text, key)).isEqualTo(token);
  }

  @Test
  void shouldRefuseRecordsOfTheNextVersion() {
    for (Consumer<byte[]> decoder :
        List.<Consumer<byte[]>>of(StoredUser::decode, StoredApiKey::decode, TokenKey::decode)) {
      assertThatThrownBy(() -> decoder.accept(new byte[] {2, 0, 0, 0}))
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith("upgrade this node");
    }
    String nextRole = USER.replaceFirst("616e6e03", "616e6e04");
    assertThatThrownBy(() -> StoredUser.decode(bytes(nextRole)))
        .isInstanceOf(NewerFormatException.class);
    String nextFlag = API_KEY.replaceFirst("03e807d00f", "04e807d00f");
    assertThatThrownBy(() -> StoredApiKey.decode(bytes(nextFlag)))
        .isInstanceOf(NewerFormatException.class);
  }

  @Test
  void shouldRefuseDamagedRecords() {
    refusesEveryPrefix(bytes(USER), StoredUser::decode);
    refusesEveryPrefix(bytes(BOUND_USER), StoredUser::decode);
    refusesEveryPrefix(bytes(API_KEY), StoredApiKey::decode);
    refusesEveryPrefix(bytes(TOKEN_KEY), TokenKey::decode);
    String plain = USER.replace("2436", "3636"); // no hash
    assertThatThrownBy(() -> StoredUser.decode(bytes(plain)))
        .isInstanceOf(MalformedBytesException.class);
  }

  private static void refusesEveryPrefix(byte[] record, Consumer<byte[]> decoder) {
    for (int length = 0; length < record.length; length++) {
      byte[] prefix = Arrays.copyOf(record, length);
      assertThatThrownBy(() -> decoder.accept(prefix)).isInstanceOf(MalformedBytesException.class);
    }
    byte[] longer = Arrays.copyOf(record, record.length + 1);
    assertThatThrownBy(() -> decoder.accept(longer)).isInstanceOf(MalformedBytesException.class);
  }

  @Test
  void shouldRefuseEveryOtherToken() {
    TokenKey key = TokenKey.decode(bytes(TOKEN_KEY));
    String text = new Token("ann", CREATED, Instant.ofEpochMilli(2_000), 5).sign(key);
    refusesToken(text, null);
    refusesToken(text, TokenKey.decode(bytes("01" + "08".repeat(32))));
    for (String other :
        List.of("", ".", "=", "a", text + "A", text.substring(1), "x".repeat(1 << 20), "🔑")) {
      refusesToken(other, key);
    }
    Random random = new Random(1);
    for (int i = 0; i < text.length(); i++) {
      char[] changed = text.toCharArray();
      do {
        changed[i] = (char) ('A' + random.nextInt(26));
      } while (changed[i] == text.charAt(i));
      // The last character has unused bits, which Base64 decoders may ignore.
      if (i < text.length() - 1) {
        refusesToken(new String(changed), key);
      }
    }
  }

  private static void refusesToken(String text, @Nullable TokenKey key) {
    assertThatThrownBy(() -> Token.verify(text, key))
        .isInstanceOfSatisfying(
            CredentialsException.class,
            e -> assertThat(e.kind()).isEqualTo(CredentialsException.Kind.TOKEN_INVALID));
  }
}
