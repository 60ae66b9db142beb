@NullMarked
package io.fjordmq.auth.http;

import org.jspecify.annotations.NullMarked;
