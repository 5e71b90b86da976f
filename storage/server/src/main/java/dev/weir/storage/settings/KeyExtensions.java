package dev.weir.storage.settings;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.option.Section;
import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import org.jspecify.annotations.Nullable;

/** Reader for the {@code extensions {}} of a key pair (docs/reference/storage.md#key-extensions). */
final class KeyExtensions {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("dd-MM-uuuu", Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    private final Section section;

    KeyExtensions(Section section) {
        this.section = section;
    }

    KeyRules read() {
        FlagSet flags = AccessSettings.flags(section, "forbidden_ids");
        @Nullable
        FlagSet forbidden = section.has("forbidden_ids") ? flags : null;
        return new KeyRules(section.string("name").orElse(""), section.string("email").orElse(""), allowed(), forbidden,
                limit().orElse(null), expires().orElse(null));
    }

    private Set<Operation> allowed() {
        Set<Operation> allowed = EnumSet.of(Operation.READ);
        section.bool("read_only").ifPresent(only -> {
            if (!only) {
                allowed.addAll(List.of(Operation.WRITE, Operation.DELETE));
            }
        });
        List<String> words = section.strings("allowed_ops");
        if (section.has("allowed_ops")) {
            allowed.clear();
            words.forEach(word -> operation(word).ifPresent(allowed::add));
        }
        return allowed;
    }

    private Optional<Operation> operation(String word) {
        for (Operation operation : Operation.values()) {
            if (operation.name().equalsIgnoreCase(word)) {
                return Optional.of(operation);
            }
        }
        section.refuse("allowed_ops", "expected read, write or delete, but found \"" + word + "\"");
        return Optional.empty();
    }

    private Optional<Instant> expires() {
        return section.string("expire").flatMap(text -> {
            try {
                return Optional.of(LocalDate.parse(text, DAY).atStartOfDay(ZoneId.systemDefault()).toInstant());
            } catch (DateTimeParseException e) {
                section.refuse("expire", "expected a day as DD-MM-YYYY, but found \"" + text + "\"");
                return Optional.empty();
            }
        });
    }

    private Optional<RateLimit> limit() {
        List<UclValue> values = section.raw("ratelimit");
        if (values.isEmpty()) {
            return Optional.empty();
        }
        Optional<RateLimit> limit = switch (values.getFirst()) {
            case UclString text when values.size() == 1 -> RateText.parse(text.text());
            case UclArray array when array.items().size() == 2 -> limit(array.items().get(0), array.items().get(1));
            case UclObject object when object.values("burst").size() == 1 && object.values("rate").size() == 1 ->
                limit(object.values("burst").getFirst(), object.values("rate").getFirst());
            // Repeating the option is another way to write an array.
            default -> values.size() == 2 ? limit(values.get(0), values.get(1)) : Optional.empty();
        };
        if (limit.isEmpty()) {
            section.refuse("ratelimit",
                    "expected \"N / TIME\", [burst, rate] or { burst = N; rate = N }, both above 0");
        }
        return limit;
    }

    private static Optional<RateLimit> limit(UclValue burst, UclValue rate) {
        Optional<Double> amount = burst instanceof UclString text ? RateText.amount(text.text()) : number(burst);
        Optional<Double> speed = rate instanceof UclString text
                ? RateText.parse(text.text()).map(RateLimit::rate)
                : number(rate);
        return amount.flatMap(b -> speed.flatMap(r -> RateText.limit(b, r)));
    }

    private static Optional<Double> number(UclValue value) {
        return switch (value) {
            case UclInteger integer -> Optional.of((double) integer.value());
            case UclDouble real -> Optional.of(real.value());
            default -> Optional.empty();
        };
    }
}
