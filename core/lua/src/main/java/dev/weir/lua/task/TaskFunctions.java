package dev.weir.lua.task;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.weir.lua.HostFunction;
import dev.weir.lua.LuaValue;
import org.jspecify.annotations.Nullable;

/** The host functions of {@code condition.lua}, which read one mail. */
final class TaskFunctions implements HostFunction {
    private final TaskView task;

    TaskFunctions(TaskView task) {
        this.task = task;
    }

    @Override
    public @Nullable Object call(String name, List<LuaValue> arguments) {
        return switch (name) {
            case "task.from" -> addresses(task.from(source(arguments)));
            case "task.recipients" -> addresses(task.recipients(source(arguments)));
            case "task.headers" -> headers(text(arguments, 0), arguments);
            case "task.message_id" -> task.messageId();
            case "task.subject" -> task.subject();
            case "task.content" -> task.content();
            case "task.size" -> task.content().length;
            case "task.digest" -> task.digest();
            case "task.text_parts" -> textParts();
            case "task.html_hashes" -> htmlHashes(arguments);
            case "task.parts" -> parts();
            case "task.urls" -> urls(task.urls());
            case "task.emails" -> urls(task.emails());
            case "task.received" -> task.received();
            case "task.request_header" -> task.requestHeader(text(arguments, 0).toLowerCase(Locale.ROOT));
            case "task.symbols" -> symbols();
            case "task.score" -> List.of(task.score(), task.requiredScore());
            default -> throw new IllegalArgumentException("unknown function " + name);
        };
    }

    private static TaskView.Source source(List<LuaValue> arguments) {
        return "mime".equals(text(arguments, 0)) ? TaskView.Source.MIME : TaskView.Source.SMTP;
    }

    private static String text(List<LuaValue> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof LuaValue.Str string ? string.text() : "";
    }

    private static List<Object> addresses(List<TaskView.Address> addresses) {
        List<Object> list = new ArrayList<>();
        for (TaskView.Address address : addresses) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("addr", address.addr());
            fields.put("user", address.user());
            fields.put("domain", address.domain());
            fields.put("name", address.name());
            fields.put("raw", address.raw());
            fields.put("flags",
                    address.raw().startsWith("<") ? Map.of("valid", true, "braced", true) : Map.of("valid", true));
            list.add(fields);
        }
        return list;
    }

    private List<Object> headers(String name, List<LuaValue> arguments) {
        boolean strong = arguments.size() > 1 && arguments.get(1).isTrue();
        List<Object> list = new ArrayList<>();
        for (TaskView.Header header : task.headers()) {
            if (strong ? header.name().equals(name) : header.name().equalsIgnoreCase(name)) {
                Map<String, Object> fields = new HashMap<>();
                fields.put("name", header.name());
                fields.put("value", header.value());
                fields.put("decoded", header.decoded());
                fields.put("raw", header.raw());
                fields.put("order", header.order());
                fields.put("separator", header.separator());
                fields.put("tab_separated", header.separator().startsWith("\t"));
                fields.put("empty_separator", header.separator().isEmpty());
                list.add(fields);
            }
        }
        return list;
    }

    private List<Object> textParts() {
        List<Object> list = new ArrayList<>();
        for (TaskView.TextPart part : task.textParts()) {
            list.add(Map.of("content", part.content(), "words", part.words(), "html", part.html(), "language",
                    part.language(), "length", part.length(), "index", list.size()));
        }
        return list;
    }

    private @Nullable Object htmlHashes(List<LuaValue> arguments) {
        if (!(arguments.getFirst() instanceof LuaValue.Num(double index))) {
            throw new IllegalArgumentException("the index of a text part is a number");
        }
        TaskView.HtmlHashes hashes = task.htmlHashes((int) index);
        return hashes == null
                ? null
                : Map.of("digest", hashes.digest(), "shingles",
                        hashes.shingles().stream().map(Long::toUnsignedString).toList(), "cta_domains_hash",
                        Long.toUnsignedString(hashes.ctaDomains()), "all_domains_hash",
                        Long.toUnsignedString(hashes.allDomains()), "features_hash",
                        Long.toUnsignedString(hashes.features()), "tags_count", hashes.tags());
    }

    private List<Object> parts() {
        List<Object> list = new ArrayList<>();
        for (TaskView.Part part : task.parts()) {
            Map<String, Object> fields = new HashMap<>();
            fields.put("type", part.type());
            fields.put("subtype", part.subtype());
            fields.put("filename", part.fileName());
            fields.put("attachment", part.attachment());
            fields.put("length", part.length());
            list.add(fields);
        }
        return list;
    }

    private static List<Object> urls(List<TaskView.Url> urls) {
        List<Object> list = new ArrayList<>();
        for (TaskView.Url url : urls) {
            list.add(
                    Map.of("text", url.text(), "host", url.host(), "tld", url.tld(), "protocol", url.protocol(), "user",
                            url.user()));
        }
        return list;
    }

    private List<Object> symbols() {
        List<Object> list = new ArrayList<>();
        for (TaskView.Symbol symbol : task.symbols()) {
            list.add(Map.of("name", symbol.name(), "score", symbol.score(), "options", symbol.options()));
        }
        return list;
    }
}
