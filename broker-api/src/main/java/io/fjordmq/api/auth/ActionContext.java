package io.fjordmq.api.auth;

import io.fjordmq.api.plugin.Action;
import org.jspecify.annotations.Nullable;

/**
 * The values of placeholders for an action of a client.
 *
 * @since 0.1.0
 */
public record ActionContext(ClientContext client, Action action) implements PlaceholderValues {

  @Override
  public @Nullable String apply(Placeholder placeholder) {
    return switch (placeholder.kind()) {
      case ACTION -> action instanceof Action.Publish ? "publish" : "subscribe";
      case TOPIC -> topic();
      case QOS -> Integer.toString(qos());
      case RETAIN ->
          action instanceof Action.Publish publish ? Boolean.toString(publish.retain()) : "false";
      default -> client.apply(placeholder);
    };
  }

  private String topic() {
    return action instanceof Action.Publish publish
        ? publish.topic().name()
        : ((Action.Subscribe) action).filter().toString();
  }

  private int qos() {
    return action instanceof Action.Publish publish
        ? publish.qos().level()
        : ((Action.Subscribe) action).qos().level();
  }
}
