package dev.weir.storage.mirror;

import java.util.Optional;

import dev.weir.storage.engine.AttachedConsumer;
import dev.weir.storage.engine.Attachment;
import dev.weir.storage.engine.EngineParts;

/**
 * A mirror that an engine keeps up to date.
 *
 * @param place where it is
 */
public record MirrorAttachment(MirrorPlace place) implements Attachment {
    @Override
    public Optional<AttachedConsumer> attach(EngineParts parts) {
        return Optional.of(new MirrorFeeder(parts, place));
    }
}
