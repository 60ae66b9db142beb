/** Retained messages on the real range engine, without threads, network or disk. */
@NullMarked
package io.fjordmq.retain.client;

import org.jspecify.annotations.NullMarked;
