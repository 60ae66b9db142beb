package io.fjordmq.broker.http;

/**
 * A caller of the API on whose behalf an MQTT client connects.
 *
 * @param name the name of the caller's account
 * @param tenant the tenant of the client; the default tenant is empty
 */
public record MqttUser(String name, String tenant) {}
