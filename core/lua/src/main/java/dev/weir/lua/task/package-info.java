/**
 * Learn conditions: an operator's function that decides whether to learn a mail.
 *
 * <p>{@link dev.weir.lua.task.LearnScript} runs the function. {@link dev.weir.lua.task.TaskView} is its view of the
 * mail: plain data that any mail parser can supply.
 */
@NullMarked
package dev.weir.lua.task;

import org.jspecify.annotations.NullMarked;
