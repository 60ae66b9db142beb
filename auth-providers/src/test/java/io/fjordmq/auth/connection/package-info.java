@NullMarked
package io.fjordmq.auth.connection;

import org.jspecify.annotations.NullMarked;
