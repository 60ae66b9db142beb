package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.ClientConnection;
import io.fjordmq.broker.query.ClientRow;
import io.fjordmq.broker.query.ClientRow.Session;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;

/**
 * Writes a client as {@link ClientJson} declares it. Lists of clients are the largest responses, so
 * this class creates no objects for their fields. Thread-safe.
 */
final class ClientRowWriter extends ValueSerializer<ClientRow> {
  /** The names of the fields, in the order of their declaration. */
  private static final SerializableString[] NAMES =
      ((Schema.Structure) SchemaReader.of(ClientJson.class))
          .members().stream()
              .map(member -> new SerializedString(member.name()))
              .toArray(SerializableString[]::new);

  /** Writes one field after the other; those without a value are left out. */
  private static final class Fields {
    private final JsonGenerator json;
    private int next;

    private Fields(JsonGenerator json) {
      this.json = json;
    }

    void skip(int count) {
      next += count;
    }

    void text(@Nullable String value) {
      SerializableString name = NAMES[next++];
      if (value != null) {
        json.writeName(name);
        json.writeString(value);
      }
    }

    void flag(boolean value) {
      json.writeName(NAMES[next++]);
      json.writeBoolean(value);
    }

    void number(long value) {
      json.writeName(NAMES[next++]);
      json.writeNumber(value);
    }

    /** Writes a time in epoch milliseconds, which is none if it is not positive. */
    void time(long millis) {
      SerializableString name = NAMES[next++];
      if (millis > 0) {
        byte[] text =
            millis <= Parameter.MAX_MILLIS
                ? Rfc3339.format(millis)
                : Rfc3339.format(Instant.ofEpochMilli(millis));
        json.writeName(name);
        json.writeRawUTF8String(text, 0, text.length);
      }
    }

    void texts(List<String> values) {
      json.writeName(NAMES[next++]);
      json.writeStartArray();
      for (int i = 0; i < values.size(); i++) {
        json.writeString(values.get(i));
      }
      json.writeEndArray();
    }
  }

  @Override
  public void serialize(ClientRow row, JsonGenerator json, SerializationContext context) {
    ClientConnection client = row.connection();
    Session stored = row.session();
    Fields fields = new Fields(json);
    json.writeStartObject();
    fields.text(row.clientId());
    fields.text(row.tenant());
    fields.text(client != null ? client.userName() : stored == null ? null : stored.userName());
    fields.flag(row.connected());
    fields.text(row.connected() ? "connected" : "disconnected");
    fields.text(row.node());
    writeConnection(fields, client);
    fields.number(
        client != null ? client.expirySeconds() : stored == null ? 0 : stored.expirySeconds());
    fields.flag(stored != null || (client != null && client.persistent()));
    fields.time(row.createdAtMillis());
    fields.time(client == null ? 0 : client.connectedAtMillis());
    Session offline = row.connected() ? null : stored;
    fields.time(offline == null ? 0 : offline.disconnectedAtMillis());
    fields.time(offline == null ? 0 : offline.expiresAtMillis());
    fields.flag(stored != null ? stored.hasWill() : client != null && client.hasWill());
    fields.time(offline == null ? 0 : offline.willDueAtMillis());
    writeState(fields, client, stored);
    json.writeEndObject();
  }

  private static void writeConnection(Fields fields, @Nullable ClientConnection client) {
    if (client == null) {
      fields.skip(8);
      return;
    }
    fields.text(client.address().isEmpty() ? null : client.address());
    if (client.port() == 0) {
      fields.skip(1);
    } else {
      fields.number(client.port());
    }
    fields.text(client.listener());
    fields.flag(client.encrypted());
    fields.text(client.protocolLevel() == 3 ? "MQIsdp" : "MQTT");
    fields.number(client.protocolLevel());
    fields.number(client.keepAliveSeconds());
    fields.flag(client.cleanStart());
  }

  private static void writeState(
      Fields fields, @Nullable ClientConnection client, @Nullable Session stored) {
    if (client != null) {
      fields.number(client.subscriptions());
      fields.number(client.maxSubscriptions());
      fields.number(client.inflight());
      fields.number(client.maxInflight());
    } else if (stored != null) {
      fields.number(stored.subscriptions());
      fields.skip(3);
    } else {
      fields.skip(4);
    }
    if (client == null && stored == null) {
      fields.skip(2);
    } else {
      fields.number(waiting(client, stored));
      fields.number(stored != null ? stored.maxQueued() : maxQueued(client));
    }
    if (client != null) {
      fields.number(client.awaitingPubRel());
    } else {
      fields.skip(1);
    }
    if (stored != null) {
      fields.number(stored.queued());
      fields.number(stored.queuedBytes());
      fields.number(stored.maxQueued());
      fields.number(stored.maxQueuedBytes());
    } else {
      fields.skip(4);
    }
    if (client != null) {
      fields.texts(client.heldBackBy());
    }
  }

  private static long maxQueued(@Nullable ClientConnection client) {
    return client == null ? 0 : client.maxQueued();
  }

  /**
   * Counts the messages waiting to be sent. The inbox of a connected client also holds messages in
   * flight, apart from those that wait for PUBCOMP.
   */
  private static long waiting(@Nullable ClientConnection client, @Nullable Session stored) {
    if (stored == null) {
      return client == null ? 0 : client.queued();
    }
    if (client == null) {
      return stored.queued();
    }
    long sent = client.inflight() - stored.awaitingPubComp();
    return Math.max(0, stored.queued() - Math.max(0, sent)) + client.queued();
  }
}
