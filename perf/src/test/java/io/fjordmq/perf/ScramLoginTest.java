package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The example of RFC 7677 §3. */
class ScramLoginTest {
  private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
  private static final String SERVER_FIRST =
      "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

  private final ScramLogin.Exchange exchange = new ScramLogin("user", "pencil").begin(NONCE);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void shouldProveThePassword() {
    assertThat(exchange.first()).asString().isEqualTo("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    assertThat(exchange.last(bytes(SERVER_FIRST)))
        .asString()
        .isEqualTo(
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    exchange.verify(bytes("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
    assertThatThrownBy(() -> exchange.verify(bytes("v=AAAA")))
        .hasMessageContaining("wrong SCRAM signature");
  }

  @Test
  void shouldRefuseAnotherNonce() {
    assertThatThrownBy(() -> exchange.last(bytes(SERVER_FIRST.replace("r=rO", "r=xO"))))
        .hasMessageContaining("invalid SCRAM message");
  }
}
