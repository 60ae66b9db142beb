package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.auth.Mqtt5EnhancedAuthMechanism;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.StringPreparation;
import com.ongres.scram.common.exception.ScramException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** SCRAM for the HiveMQ client, with the messages of a library that is not ours. */
final class ScramClientMechanism implements Mqtt5EnhancedAuthMechanism {
  private final String name;
  private final String user;
  private final String password;
  private @Nullable ScramClient client;

  ScramClientMechanism(String name, String user, String password) {
    this.name = name;
    this.user = user;
    this.password = password;
  }

  boolean isOf(String name) {
    return user.equals(name);
  }

  @Override
  public MqttUtf8String getMethod() {
    return MqttUtf8String.of(name);
  }

  @Override
  public int getTimeout() {
    return Mqtt5Session.WAIT_SECONDS;
  }

  private byte[] begin() {
    ScramClient begun =
        ScramClient.builder()
            .advertisedMechanisms(List.of(name))
            .username(user)
            .password(password.toCharArray())
            .stringPreparation(StringPreparation.SASL_PREPARATION)
            .build();
    client = begun;
    return bytes(begun.clientFirstMessage().toString());
  }

  private ScramClient current() {
    ScramClient begun = client;
    if (begun == null) {
      throw new AssertionError("the exchange has not begun");
    }
    return begun;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Optional<ByteBuffer> data) {
    return StandardCharsets.UTF_8.decode(data.orElseThrow()).toString();
  }

  @Override
  public CompletableFuture<Void> onAuth(
      Mqtt5ClientConfig config, Mqtt5Connect connect, Mqtt5EnhancedAuthBuilder auth) {
    auth.data(begin());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder auth) {
    auth.data(begin());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Boolean> onContinue(
      Mqtt5ClientConfig config, Mqtt5Auth received, Mqtt5AuthBuilder auth) {
    try {
      current().serverFirstMessage(text(received.getData()));
      auth.data(bytes(current().clientFinalMessage().toString()));
      return CompletableFuture.completedFuture(true);
    } catch (ScramException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Whether the server has proved that it knows the user. */
  private CompletableFuture<Boolean> verify(Optional<ByteBuffer> data) {
    try {
      current().serverFinalMessage(text(data));
      return CompletableFuture.completedFuture(true);
    } catch (ScramException e) {
      return CompletableFuture.completedFuture(false);
    }
  }

  @Override
  public CompletableFuture<Boolean> onAuthSuccess(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {
    return verify(connAck.getEnhancedAuth().orElseThrow().getData());
  }

  @Override
  public CompletableFuture<Boolean> onReAuthSuccess(Mqtt5ClientConfig config, Mqtt5Auth auth) {
    return verify(auth.getData());
  }

  @Override
  public void onAuthRejected(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {}

  @Override
  public void onReAuthRejected(Mqtt5ClientConfig config, Mqtt5Disconnect disconnect) {}

  @Override
  public void onAuthError(Mqtt5ClientConfig config, Throwable cause) {}

  @Override
  public void onReAuthError(Mqtt5ClientConfig config, Throwable cause) {}
}
