"""Words that head a line of notes in languages other than English, none of them a name."""

from collections.abc import Mapping

ABROAD: Mapping[str, str] = {
    "German": """
achtung hinweis notiz anmerkung bemerkung aufgabe aufgaben frage antwort ergebnis ergebnisse ziel
ziele termin datum uhrzeit ort thema betreff titel adresse telefon preis kosten summe betrag menge
anzahl beispiel beispiele entscheidung beschluss warnung fehler lösung grund ursache folge fazit
zusammenfassung übersicht inhalt quelle quellen kunde kundin mandant vertrag rechnung firma
unternehmen abteilung projekt besprechung sitzung protokoll teilnehmer tagesordnung erinnerung
wichtig dringend zutaten rezept einkauf montag dienstag mittwoch donnerstag freitag samstag sonntag
januar februar märz juni juli oktober dezember heute morgen gestern woche monat jahr vorteil
vorteile nachteil nachteile regel schritt idee tipp siehe bitte danke erstens zweitens außerdem
jedoch treuhand frist stichtag ereignis behauptung
""",
    "French": """
remarque tâche réponse résultat objectif heure lieu sujet objet titre nom prénom téléphone prix
coût montant quantité nombre statut exemple exemples définition décision avertissement erreur
problème raison conclusion résumé contenu auteur contrat facture société entreprise projet réunion
rappel ingrédients recette lundi mardi mercredi jeudi vendredi samedi dimanche janvier février juin
juillet août septembre octobre novembre décembre demain hier semaine mois année avantages
inconvénients étape conseil voir merci bonjour délai événement
""",
    "Spanish": """
atención tarea tareas pregunta respuesta resultado objetivo fecha hora lugar tema asunto título
dirección teléfono precio coste costo importe cantidad número estado ejemplo definición decisión
advertencia aviso problema solución razón causa conclusión resumen contenido fuente cliente
contrato factura empresa proyecto reunión recordatorio importante urgente ingredientes receta lunes
martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio agosto
septiembre octubre noviembre diciembre hoy mañana ayer semana ventajas desventajas consejo gracias
hola plazo depósito evento
""",
    "Italian": """
attenzione compito domanda risposta risultato obiettivo luogo oggetto titolo nome cognome indirizzo
telefono prezzo importo quantità numero stato esempio definizione decisione avviso errore soluzione
motivo riassunto contenuto fonte autore contratto fattura azienda progetto riunione promemoria
ingredienti ricetta lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio
aprile maggio giugno luglio settembre ottobre dicembre oggi domani ieri settimana anno passo
consiglio grazie ciao scadenza
""",
    "Portuguese": """
atenção tarefa pergunta resposta assunto endereço telefone preço custo quantidade exemplo definição
decisão erro solução conclusão resumo conteúdo autor fatura projeto reunião lembrete segunda terça
quarta quinta sexta janeiro fevereiro março junho julho setembro outubro dezembro hoje amanhã ontem
mês ideia dica prazo
""",
    "Dutch": """
opmerking taak vraag antwoord resultaat doel tijd plaats onderwerp naam adres telefoon prijs bedrag
aantal voorbeeld definitie besluit waarschuwing fout probleem oplossing reden oorzaak conclusie
samenvatting inhoud bron klant factuur bedrijf vergadering herinnering belangrijk maandag dinsdag
woensdag donderdag vrijdag zaterdag zondag vandaag gisteren maand jaar stap
""",
    "Polish, Czech": """
uwaga notatka zadanie pytanie odpowiedź wynik cel godzina miejsce temat tytuł nazwa imię nazwisko
cena koszt kwota ilość liczba przykład definicja decyzja ostrzeżenie błąd rozwiązanie powód
przyczyna wniosek podsumowanie treść źródło klient umowa faktura spotkanie przypomnienie ważne
pilne poniedziałek wtorek środa czwartek piątek sobota niedziela dziś jutro wczoraj krok pozor
poznámka úkol otázka odpověď výsledek cíl čas místo téma předmět název jméno částka počet příklad
rozhodnutí varování chyba problém řešení důvod závěr shrnutí obsah zdroj smlouva schůzka důležité
""",
    "Swedish, Danish, Norwegian, Finnish": """
obs anteckning uppgift uppgifter fråga svar mål tid plats ämne rubrik namn pris kostnad belopp
antal exempel beslut varning fel lösning orsak slutsats sammanfattning innehåll källa kund avtal
företag möte påminnelse viktigt måndag tisdag onsdag torsdag fredag lördag söndag merk oppgave
spørsmål emne tittel navn eksempel beslutning advarsel feil løsning årsak sammendrag innhold kilde
avtale møte viktig bemærk opgave huom muistiinpano tehtävä kysymys vastaus tulos tavoite päivämäärä
aika paikka aihe otsikko nimi osoite hinta määrä esimerkki päätös varoitus virhe ongelma ratkaisu
yhteenveto lähde asiakas sopimus lasku yritys kokous
""",
    "Hungarian, Romanian, Turkish": """
figyelem megjegyzés feladat kérdés válasz eredmény cél dátum idő hely cím név összeg példa döntés
hiba megoldás összefoglalás forrás ügyfél szerződés számla cég fontos atenție notă sarcină
întrebare răspuns rezultat obiectiv dată oră loc subiect titlu nume adresă preț sumă exemplu
decizie eroare problemă soluție concluzie rezumat sursă factură firmă dikkat görev soru cevap yanıt
sonuç hedef amaç tarih saat yer konu başlık isim fiyat tutar miktar sayı durum örnek tanım karar
uyarı hata sorun çözüm neden özet içerik kaynak yazar müşteri sözleşme şirket proje toplantı
hatırlatma önemli
""",
    "Indonesian, Vietnamese": """
perhatian catatan tugas pertanyaan jawaban hasil tujuan tanggal waktu tempat topik judul nama
alamat harga jumlah contoh keputusan peringatan kesalahan masalah solusi alasan kesimpulan
ringkasan sumber klien kontrak faktur perusahaan proyek rapat penting tên ngày giờ giá
""",
    "Russian, Ukrainian, Bulgarian": """
внимание примечание заметка задача задачи вопрос ответ результат итог итоги цель план дата время
место тема заголовок название имя фамилия адрес телефон цена стоимость сумма количество число
статус пример определение решение предупреждение ошибка проблема причина вывод резюме содержание
источник автор клиент договор счёт счет компания проект встреча напоминание важно срочно
понедельник вторник среда четверг пятница суббота воскресенье январь февраль март апрель май июнь
июль август сентябрь октябрь ноябрь декабрь сегодня завтра вчера срок шаг идея событие утверждение
увага примітка завдання питання відповідь мета час місце назва адреса ціна сума приклад рішення
помилка висновок джерело клієнт договір важливо бележка въпрос отговор цел място име грешка
""",
    "Greek": """
προσοχή σημείωση εργασία ερώτηση απάντηση αποτέλεσμα στόχος ημερομηνία ώρα τόπος θέμα τίτλος όνομα
διεύθυνση τηλέφωνο τιμή κόστος ποσό παράδειγμα ορισμός απόφαση προειδοποίηση λάθος πρόβλημα λύση
αιτία συμπέρασμα περίληψη πηγή πελάτης σύμβαση εταιρεία έργο σημαντικό
""",
    "Arabic, Persian, Urdu": """
ملاحظة تنبيه تحذير مهمة سؤال جواب إجابة نتيجة هدف تاريخ وقت مكان موضوع عنوان اسم هاتف سعر تكلفة
مبلغ عدد حالة مثال تعريف قرار خطأ مشكلة حل سبب خلاصة ملخص مصدر مؤلف عميل عقد فاتورة شركة مشروع
اجتماع تذكير مهم توجه یادداشت نکته وظیفه سوال پاسخ نتیجه زمان نام آدرس تلفن قیمت تعداد وضعیت تصمیم
هشدار خطا مشکل علت خلاصه منبع مشتری قرارداد شرکت پروژه جلسه نوٹ جگہ پتہ فیصلہ
""",
    "Hebrew": """
הערה אזהרה משימה שאלה תשובה תוצאה מטרה תאריך שעה מקום נושא כותרת שם כתובת טלפון מחיר עלות סכום מספר
סטטוס דוגמה הגדרה החלטה שגיאה בעיה פתרון סיבה סיכום מקור לקוח חוזה חברה פרויקט פגישה תזכורת חשוב
""",
    "Hindi, Bengali, Tamil": """
ध्यान सूचना नोट टिप्पणी कार्य प्रश्न सवाल उत्तर जवाब परिणाम लक्ष्य दिनांक तारीख समय स्थान विषय शीर्षक नाम पता
फ़ोन फोन मूल्य कीमत राशि संख्या स्थिति उदाहरण परिभाषा निर्णय चेतावनी त्रुटि समस्या समाधान कारण निष्कर्ष सारांश
स्रोत ग्राहक अनुबंध कंपनी परियोजना बैठक महत्वपूर्ण নোট দ্রষ্টব্য প্রশ্ন উত্তর তারিখ সময় স্থান বিষয় নাম ঠিকানা মূল্য
উদাহরণ সিদ্ধান্ত সমস্যা সমাধান কারণ குறிப்பு கேள்வி பதில் தேதி நேரம் இடம் தலைப்பு பெயர் விலை உதாரணம் முடிவு
""",
    "Thai": """
หมายเหตุ ข้อควรระวัง คำเตือน งาน คำถาม คำตอบ ผลลัพธ์ เป้าหมาย วันที่ เวลา สถานที่ หัวข้อ เรื่อง ชื่อ ที่อยู่ โทรศัพท์ ราคา
จำนวน ตัวอย่าง คำจำกัดความ การตัดสินใจ ปัญหา วิธีแก้ สาเหตุ สรุป แหล่งที่มา ลูกค้า สัญญา บริษัท โครงการ ประชุม สำคัญ
""",
    "Chinese": """
注意 备注 備註 说明 說明 提示 警告 标题 標題 主题 主題 日期 时间 時間 地点 地點 地址 电话 電話 邮箱
姓名 名称 名稱 状态 狀態 结论 結論 结果 結果 答案 回答 总结 總結 摘要 定义 定義 例如 例子 示例 目标
目標 目的 任务 任務 待办 待辦 决定 決定 原因 解决 步骤 步驟 内容 內容 来源 來源 作者 客户 客戶 合同
公司 项目 項目 会议 會議 提醒 重要 紧急 緊急 其他 其它 如下 包括 总之 因此 所以 但是 首先 其次 最后
最後 另外 今天 明天 昨天 周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五
星期六 星期日 链接 鏈接 密码 账号 帳號 用户 用戶 系统 系統 安全 应用 成本 路径 路徑 方向 管理 观点
主张 关系 概念 想法 建议 优点 缺点 风险 关键 严重 更新 背景 备忘 部门 职位 年龄 性别 活动 周期 方案
江苏 武汉 北京 上海 广州 深圳 中国 日本 美国 英国
""",
    "Japanese": """
備考 メモ 日時 場所 題名 質問 概要 宛先 住所 氏名 名前 値段 例 課題 対策 理由 手順 出典 著者 顧客
契約 会社 会議 議題 参加者 予定 締切 以下 補足 タイトル タスク テーマ ポイント エラー バグ サーバー
コスト リスク スケジュール ステータス プロジェクト クライアント ユーザー バージョン サンプル テスト
データ システム まとめ 担当 担当者 今日 明日 昨日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日
東京 大阪 京都
""",
    "Korean": """
주의 참고 메모 날짜 일시 시간 장소 제목 주제 결론 질문 답변 대답 요약 목적 목표 할일 비고 주소 이름
성명 전화 가격 금액 수량 상태 예시 정의 결정 문제 해결 원인 이유 방법 단계 내용 출처 저자 고객 계약
회사 프로젝트 회의 안건 참석자 알림 중요 긴급 경고 오류 계획 오늘 내일 어제 월요일 화요일 수요일
목요일 금요일 토요일 일요일 서울 부산 한국
""",
}
